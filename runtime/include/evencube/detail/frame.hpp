#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// The condition under which tasks may follow one another in one frame.
template <typename Policy>
struct basic_series {
  /// The word of the high priority list. It must be 0.
  const typename Policy::template atomic<std::uint64_t>* high = nullptr;
  /// The base of the frame beneath. Tasks at lower places are left to a path that lowers it
  /// (`lower_bases`).
  std::uint32_t floor = 0;
};

/// The task that a worker runs. Frames are nested as waits are. A fork made while this frame is the
/// innermost has `current` as its parent.
template <typename Policy>
struct basic_frame {
  const node* current;
  /// The end of the worker's queue when the task began. The places from here on belong to the task.
  std::uint32_t base;
  basic_frame* outer;
  /// The series that runs in this frame; null if the frame ends with its task.
  const basic_series<Policy>* run = nullptr;
};

}  // namespace evencube::detail
