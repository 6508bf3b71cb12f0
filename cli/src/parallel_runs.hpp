#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <functional>

namespace evencube::cli {

/// --threads: what `run_in_parallel` takes. Throws usage_error while parsing.
void add_threads_option(CLI::App& command, unsigned& threads);

/// Runs body(0) .. body(count - 1), each once, on a runtime of `threads` workers (0: one per usable
/// processing unit). If bodies throw, one of the exceptions is thrown when all have ended.
/// Throws usage_error if the runtime refuses what the environment says of it.
void run_in_parallel(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body);

}  // namespace evencube::cli
