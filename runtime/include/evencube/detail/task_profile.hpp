#pragma once

#include <atomic>
#include <cstdint>
#include <typeinfo>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// How long the tasks of one function take, as measured on the tasks that ran, for the tasks that
/// are spawned (runtime/src/tasks/measured_costs.md). There is one for the whole process, until the
/// end of the process.
class task_profile {
 public:
  task_profile() = default;
  task_profile(const task_profile&) = delete;
  task_profile& operator=(const task_profile&) = delete;

  /// The quanta (of a microsecond) that a task with this hint counts for. They are the hint itself
  /// until some tasks have been measured. In [1, max_cost].
  [[nodiscard]] std::uint32_t cost(std::uint32_t hint) const noexcept {
    return hint == 1 ? cost_of_one_.load(std::memory_order_relaxed) : scaled(hint);
  }

 protected:
  ~task_profile() = default;

  /// The quanta of a task without a hint.
  std::atomic<std::uint32_t> cost_of_one_{1};
  /// Microseconds for each unit of a hint, times 2^one_shift; 0 while they are not known.
  std::atomic<std::uint64_t> unit_{0};
  static constexpr unsigned one_shift = 16;

 private:
  [[nodiscard]] EVENCUBE_EXPORT std::uint32_t scaled(std::uint32_t hint) const noexcept;
};

/// The kind of tasks for which a profile is.
enum class profiled { spawned, future };

/// The profile of the tasks that `execute` runs. Makes it if there is none, with the name of the
/// type, if that is known. Returns null if there is no memory for it, or there are too many. Any
/// thread may call this. O(1) on average.
EVENCUBE_EXPORT const task_profile* find_or_make_profile(void (*execute)(task&, runner&) noexcept,
                                                         profiled kind,
                                                         const std::type_info* type) noexcept;

/// The profile of one function's tasks, as one library knows it. One variable for all libraries
/// would keep them from being unloaded.
template <typename Task>
struct known_profile {
  [[gnu::visibility("hidden")]] static inline constinit std::atomic<const task_profile*> at{
      nullptr};
};

/// The quanta that a new task counts for.
template <typename Task>
std::uint32_t cost_of_new(std::uint32_t hint, const std::type_info* type) noexcept {
  // Acquire: pairs with the release below: a thread that sees the profile sees how it was made.
  const task_profile* profile = known_profile<Task>::at.load(std::memory_order_acquire);
  if (profile == nullptr) [[unlikely]] {
    profile = detail::find_or_make_profile(&Task::run, profiled::spawned, type);
    if (profile == nullptr) return hint;
    known_profile<Task>::at.store(profile, std::memory_order_release);
  }
  return profile->cost(hint);
}

}  // namespace evencube::detail
