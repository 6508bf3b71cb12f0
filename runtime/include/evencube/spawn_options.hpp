#pragma once

#include <cstdint>
#include <optional>

#include <evencube/priority.hpp>

namespace evencube {

/// The options of one spawned task.
struct spawn_options {
  /// The number of quanta that the task adds to a worker's load, in [1, 65536]. With
  /// `runtime_options::measured_costs` the cost is a factor: this task's time divided by the time
  /// of a task with the same function and cost 1.
  std::uint32_t cost = 1;
  /// The preferred worker, to which the task is sent. If empty, the spawning worker keeps the task.
  /// This is only a hint: a worker without work may take the task if the preferred worker is busy,
  /// and balancing may move it.
  std::optional<unsigned> home = std::nullopt;
  /// The priority, which decides whether the task begins before or after other tasks that wait for
  /// a worker. Tasks of high and low priority wait in two lists of the runtime, from which any
  /// worker may take them. So such tasks cannot have a `home`, and balancing neither counts nor
  /// moves them.
  evencube::priority priority = evencube::priority::normal;
  /// The task's name in recordings; if null, the type of its function is used. The name is not
  /// copied until the recording ends, so it must be a literal or remain valid until then.
  const char* name = nullptr;
};

}  // namespace evencube
