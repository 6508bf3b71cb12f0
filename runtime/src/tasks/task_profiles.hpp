#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <evencube/detail/task_profile.hpp>
#include <evencube/statistics.hpp>

namespace evencube::detail {

/// A profile together with the samples of which it is made. Samples come from any worker, one at a
/// time.
class measured_profile final : public task_profile {
 public:
  using function = void (*)(task&, runner&) noexcept;

  measured_profile(function runs, profiled tasks, std::string name)
      : execute_(runs), kind_(tasks), name_(std::move(name)) {}

  /// Adds a sample: the time of a task that was spawned with this hint. The sample is dropped if
  /// another worker adds one at the moment. Returns the time divided by the mean, within [1/4, 4].
  /// Returns 1 if that would say nothing of the worker, because the samples differ much among
  /// themselves or are few.
  float add(std::int64_t nanoseconds, std::uint32_t hint) noexcept;

  [[nodiscard]] function execute() const noexcept { return execute_; }
  [[nodiscard]] profiled kind() const noexcept { return kind_; }
  /// True if the profile knows the costs of its tasks.
  [[nodiscard]] bool known() const noexcept { return unit_.load(std::memory_order_relaxed) != 0; }
  /// The costs as users see them. Without samples they are not known yet.
  [[nodiscard]] task_cost report() const;
  /// Begins again, because the function was unloaded and another one is at its address.
  void begin_again(profiled tasks, std::string name);
  /// Called in a forked child, where no thread uses the profile.
  void free() noexcept { taken_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_of(profiled tasks, const std::string& name) const {
    return kind_ == tasks && name_ == name;
  }

 private:
  class sole_access;

  /// The mean begins with the smallest of this many samples.
  static constexpr std::uint64_t first_samples = 3;

  const function execute_;
  profiled kind_;     // changes only while no task of the profile exists
  std::string name_;  // guarded by the lock of all profiles
  mutable std::atomic<bool> taken_{false};
  // Guarded by taken_:
  std::uint64_t samples_ = 0;
  double mean_ns_ = 0;
  double deviation_ns_ = 0;
};

/// The profile of the tasks that `execute` runs, or null. Any thread may call this.
measured_profile* find_profile(measured_profile::function execute) noexcept;

/// Returns the slot of the task with the cost that its profile gives. Makes a profile if there is
/// none. Before that, the cost in the slot is the hint.
slot_word with_measured_cost(slot_word word, const std::type_info* type) noexcept;

/// Called in a forked child: the threads that used a profile, or added one, exist only in the
/// parent.
void free_profiles() noexcept;

/// The measured costs of all types that have samples, the most expensive type first.
std::vector<task_cost> measured_costs();

}  // namespace evencube::detail
