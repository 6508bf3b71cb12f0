#pragma once

#include <cstddef>
#include <functional>

namespace evencube::cli {

/// Runs body(0) .. body(count - 1), each once, on a runtime of `threads` workers (0: one per usable
/// processing unit). If bodies throw, one of the exceptions is thrown when all have ended.
void run_in_parallel(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body);

}  // namespace evencube::cli
