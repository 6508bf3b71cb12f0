#pragma once

#include <cstddef>
#include <functional>

namespace evencube::workloads {

/// A loop of an engine other than EvenCube over tasks that do not depend on each other. It calls
/// `task` once for each index below `tasks`, in any order and several at once, and returns when all
/// calls have ended.
using task_loop =
    std::function<void(std::size_t tasks, const std::function<void(std::size_t index)>& task)>;

}  // namespace evencube::workloads
