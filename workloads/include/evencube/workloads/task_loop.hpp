#pragma once

#include <cstddef>
#include <functional>

namespace evencube::workloads {

/// A parallel loop of an engine other than EvenCube over independent tasks. The loop calls `task`
/// once for each index below `tasks`, in any order, some of them simultaneously, and returns when
/// all calls have ended.
using task_loop =
    std::function<void(std::size_t tasks, const std::function<void(std::size_t index)>& task)>;

}  // namespace evencube::workloads
