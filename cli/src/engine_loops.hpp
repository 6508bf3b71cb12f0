#pragma once

#include <evencube/workloads/task_loop.hpp>

namespace evencube::cli {

/// Each in a source of its own, which is there only where the engine is.
[[nodiscard]] workloads::task_loop tbb_loop(unsigned threads);
[[nodiscard]] workloads::task_loop openmp_loop(unsigned threads);

}  // namespace evencube::cli
