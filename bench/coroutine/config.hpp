#pragma once

#include "../fib/config.hpp"

namespace bench::coroutine {

/// As fib, with the sizes that suit a task that has a frame of its own.
inline const workload about{"coroutine", "call", {{"n", "32", "18", "which Fibonacci number"}}};

}  // namespace bench::coroutine
