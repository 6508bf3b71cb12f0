#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <evencube/detail/task_profile.hpp>
#include <evencube/statistics.hpp>

namespace evencube::detail {

/// A profile and what it is made of. Samples come from any worker, one at a time.
class measured_profile final : public task_profile {
 public:
  using function = void (*)(task&, worker&) noexcept;

  measured_profile(function runs, profiled tasks, std::string name)
      : execute_(runs), kind_(tasks), name_(std::move(name)) {}

  /// A task took so long, whose maker had said `hint`. Dropped if another worker tells of one at
  /// the moment. Gives back how long it was beside the mean, in [1/4, 4]; 1 where that says nothing
  /// of who ran it, for they differ much among themselves or few are known.
  float add(std::int64_t nanoseconds, std::uint32_t hint) noexcept;

  [[nodiscard]] function execute() const noexcept { return execute_; }
  [[nodiscard]] profiled kind() const noexcept { return kind_; }
  /// Whether its tasks' costs are told.
  [[nodiscard]] bool known() const noexcept { return unit_.load(std::memory_order_relaxed) != 0; }
  /// As people read it; without samples nothing is known yet.
  [[nodiscard]] task_cost report() const;
  /// The function was unloaded, and another one is where it was.
  void begin_anew(profiled tasks, std::string name);
  /// Nobody has it.
  void free() noexcept { taken_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_of(profiled tasks, const std::string& name) const {
    return kind_ == tasks && name_ == name;
  }

 private:
  class sole_access;

  /// Samples of which the least is where the mean begins.
  static constexpr std::uint64_t first_samples = 3;

  const function execute_;
  profiled kind_;     // while none of its tasks is there
  std::string name_;  // guarded by the mutex of all profiles
  mutable std::atomic<bool> taken_{false};
  // Guarded by it:
  std::uint64_t samples_ = 0;
  double mean_ns_ = 0;
  double deviation_ns_ = 0;
};

/// That of the tasks which `execute` runs; null if there is none. Any thread.
measured_profile* find_profile(measured_profile::function execute) noexcept;

/// The same task with the cost that its profile tells, if there is one; makes it one if it has
/// none. What it says now is its maker's hint.
slot_word with_measured_cost(slot_word word, const std::type_info* type) noexcept;

/// In a forked child: whoever had a profile, or added one, stayed in the parent.
void free_profiles() noexcept;

/// What was measured of all types of which there are samples, the costliest first.
std::vector<task_cost> measured_costs();

}  // namespace evencube::detail
