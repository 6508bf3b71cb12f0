#pragma once

#include <cstddef>
#include <functional>

namespace evencube::cli {

/// Runs body(0) .. body(count - 1) on up to `threads` threads of this program, the caller's among
/// them, each body once. The first exception of a body is thrown again when all threads have ended.
void on_host_threads(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body);

/// How many threads this process may run at once.
[[nodiscard]] unsigned usable_threads() noexcept;

}  // namespace evencube::cli
