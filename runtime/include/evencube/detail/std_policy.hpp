#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/engine_fwd.hpp>
#include <evencube/detail/split_deque.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker_counters.hpp>

namespace evencube::detail {

/// The policy of the library (see engine_fwd.hpp).
struct EVENCUBE_EXPORT std_policy : std_atomics {
  /// The initial number of slots of a worker's queue.
  static constexpr std::size_t queue_capacity = split_deque::default_capacity;

  static void execute(task& t, runner& caller) noexcept { t.execute_(t, caller); }
  /// A count that is not zero while a task runs.
  static const std::atomic<std::uint64_t>& begun(const worker_counters& counters) noexcept {
    return counters.executed;
  }
  /// The number of stopped groups.
  static const std::atomic<std::uint32_t>& stops() noexcept { return stopped_groups; }
};

}  // namespace evencube::detail
