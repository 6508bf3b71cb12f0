#include "tasks/task_profiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <evencube/detail/futex_lock.hpp>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include "platform/platform.hpp"

namespace evencube::detail {

namespace {

/// The largest number of profiles. Programs have some tens or hundreds of functions that are
/// spawned.
constexpr std::size_t most_profiles = 4096;
/// The size of the table: a power of two, and twice the number of profiles, because a search goes
/// from place to place.
constexpr std::size_t profile_places = 2 * most_profiles;

/// The profiles of the process, by the address of the code that runs their tasks. A thread may
/// search while another one adds a profile. No profile is removed. The table is not destroyed when
/// the process ends, because tasks may still run then.
struct profile_table {
  std::array<std::atomic<measured_profile*>, profile_places> at{};
  basic_futex_lock<> adding;
  std::size_t size = 0;
};
static_assert(std::is_trivially_destructible_v<profile_table>);

constinit profile_table profiles;

std::size_t place_of(measured_profile::function execute) noexcept {
  // Fibonacci hashing: the upper bits of the product depend on all of the address.
  return (reinterpret_cast<std::uintptr_t>(execute) * 0x9e3779b97f4a7c15U) >> (64U - 13U);
}
static_assert(profile_places == std::size_t{1} << 13U);

}  // namespace

/// Access to the samples of a profile, for one worker at a time. A worker that finds another one
/// there gives up.
class measured_profile::sole_access {
 public:
  // Acquire: pairs with the release below, so that this worker sees what the one before wrote.
  explicit sole_access(const measured_profile& profile) noexcept
      : profile_(profile), has_(!profile.taken_.exchange(true, std::memory_order_acquire)) {}
  sole_access(const sole_access&) = delete;
  sole_access& operator=(const sole_access&) = delete;
  ~sole_access() {
    if (has_) profile_.taken_.store(false, std::memory_order_release);
  }
  explicit operator bool() const noexcept { return has_; }

 private:
  const measured_profile& profile_;
  const bool has_;
};

std::uint32_t task_profile::scaled(std::uint32_t hint) const noexcept {
  const std::uint64_t unit = unit_.load(std::memory_order_relaxed);
  if (unit == 0) return hint;
  const std::uint64_t half = std::uint64_t{1} << (one_shift - 1);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((hint * unit + half) >> one_shift, 1, max_cost));
}

// A task looks long if the system kept it from running, or if it ran first and its memory was cold.
// So the mean begins with the smallest of the first few samples, and a later one counts for at most
// four times the mean. If tasks have really become longer, the mean follows within a few samples.
float measured_profile::add(std::int64_t nanoseconds, std::uint32_t hint) noexcept {
  const sole_access mine(*this);
  if (!mine) return 1;
  float relative = 1;
  const double each = static_cast<double>(std::max<std::int64_t>(nanoseconds, 1)) / hint;
  ++samples_;
  if (samples_ <= first_samples) {
    mean_ns_ = samples_ == 1 ? each : std::min(mean_ns_, each);
    if (samples_ < first_samples) return relative;
  } else {
    constexpr double weight = 0.125;
    const double seen = std::min(each, 4 * mean_ns_ + 100);
    deviation_ns_ += weight * (std::abs(seen - mean_ns_) - deviation_ns_);
    if (samples_ > 16 && deviation_ns_ < mean_ns_ / 4) {
      relative = static_cast<float>(std::clamp(each / mean_ns_, 0.25, 4.0));
    }
    mean_ns_ += weight * (seen - mean_ns_);
  }
  const double us = mean_ns_ * 1e-3;
  // Bounded by the largest cost of a hint of one, so that products stay small.
  const double unit = std::min(us, double{max_cost}) * double(1U << one_shift);
  unit_.store(std::max<std::uint64_t>(static_cast<std::uint64_t>(unit), 1),
              std::memory_order_relaxed);
  cost_of_one_.store(static_cast<std::uint32_t>(std::clamp(std::round(us), 1.0, double{max_cost})),
                     std::memory_order_relaxed);
  return relative;
}

task_cost measured_profile::report() const {
  for (;;) {
    const sole_access mine(*this);
    if (!mine) continue;
    return {name_, samples_, mean_ns_ * 1e-9, deviation_ns_ * 1e-9};
  }
}

void measured_profile::begin_again(profiled tasks, std::string name) {
  for (;;) {
    const sole_access mine(*this);
    if (!mine) continue;
    kind_ = tasks;
    name_ = std::move(name);
    samples_ = 0;
    mean_ns_ = deviation_ns_ = 0;
    unit_.store(0, std::memory_order_relaxed);
    cost_of_one_.store(1, std::memory_order_relaxed);
    return;
  }
}

measured_profile* find_profile(measured_profile::function execute) noexcept {
  for (std::size_t i = place_of(execute);; i = (i + 1) % profile_places) {
    // Acquire: pairs with the release in `find_or_make_profile`.
    measured_profile* const here = profiles.at[i].load(std::memory_order_acquire);
    if (here == nullptr || here->execute() == execute) return here;
  }
}

const task_profile* find_or_make_profile(measured_profile::function execute, profiled kind,
                                         const std::type_info* type) noexcept {
  try {
    std::string name = type != nullptr ? readable(*type) : "continuation";
    const std::lock_guard lock(profiles.adding);
    if (measured_profile* const known = find_profile(execute)) {
      if (!known->is_of(kind, name)) known->begin_again(kind, std::move(name));
      return known;
    }
    if (profiles.size == most_profiles) return nullptr;
    auto made = std::make_unique<measured_profile>(execute, kind, std::move(name));
    std::size_t i = place_of(execute);
    while (profiles.at[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) % profile_places;
    ++profiles.size;
    profiles.at[i].store(made.get(), std::memory_order_release);
    return made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

slot_word with_measured_cost(slot_word word, const std::type_info* type) noexcept {
  const task* const t = task_of(word);
  const task_profile* profile = find_profile(t->execute_);
  if (profile == nullptr) {
    profile = find_or_make_profile(
        t->execute_, (word & future_bit) != 0 ? profiled::future : profiled::spawned, type);
  }
  if (profile == nullptr) return word;
  const slot_word cost = profile->cost(cost_of(word));
  return (word & ((slot_word{1} << cost_shift) - 1)) | ((cost - 1) << cost_shift);
}

void free_profiles() noexcept {
  std::destroy_at(&profiles.adding);
  std::construct_at(&profiles.adding);
  for (const auto& place : profiles.at) {
    if (measured_profile* const here = place.load(std::memory_order_relaxed)) here->free();
  }
}

std::vector<task_cost> measured_costs() {
  std::vector<task_cost> costs;
  const std::lock_guard lock(profiles.adding);
  for (const auto& place : profiles.at) {
    const measured_profile* const here = place.load(std::memory_order_relaxed);
    if (here == nullptr) continue;
    if (task_cost cost = here->report(); cost.samples != 0) costs.push_back(std::move(cost));
  }
  std::ranges::sort(costs, [](const task_cost& a, const task_cost& b) {
    return a.mean_seconds != b.mean_seconds ? a.mean_seconds > b.mean_seconds : a.name < b.name;
  });
  return costs;
}

}  // namespace evencube::detail
