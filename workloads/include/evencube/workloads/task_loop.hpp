#pragma once

#include <cstddef>
#include <functional>

namespace evencube::workloads {

/// A parallel loop over independent tasks, run by an engine other than EvenCube. The loop calls
/// `task` once per index below `tasks`, in any order, some calls simultaneously, and returns when
/// all calls have ended.
using task_loop =
    std::function<void(std::size_t tasks, const std::function<void(std::size_t index)>& task)>;

}  // namespace evencube::workloads
