#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/workers.hpp"

namespace evencube::detail {

// Reading the clock costs more than reading this worker's own words, and reading the words of other
// workers slows those workers down. So the clock is read seldom, and the words of others are read
// even more seldom (parking.awake).
template <typename Policy>
template <typename Over, typename Found>
bool basic_worker<Policy>::stay_awake(patience& learned, std::int64_t began, Over&& over,
                                      Found&& found) noexcept {
  constexpr std::int64_t between_looks_ns = 5'000;
  const workers_settings& settings = workers_->settings();
  if (settings.spin_ns == 0) return over();
  std::int64_t until = began + settings.spin_ns;
  std::int64_t now = began;
  hotness hot = settings.hot;
  if (hot != hotness::never && !workers_->host().quota_leaves_room(now)) hot = hotness::never;
  if (hot == hotness::always) until = began + patience::longest_ns;
  if (settings.hot == hotness::learned) {
    const std::int64_t wanted = learned.begin(began, settings.spin_ns);
    if (hot == hotness::learned) until = wanted;
  }
  // If another thread takes the processor, the hint of a hot phase no longer holds for this
  // stretch.
  bool hinted = hot != hotness::never && settings.hot_until != nullptr;
  const auto until_now = [&] {
    return hinted ? std::max(until, settings.hot_until->load(std::memory_order_relaxed)) : until;
  };
  std::int64_t awake_ns = 0;
  std::int64_t look_at = now + between_looks_ns;
  bool come = over();
  while (!come && now < until_now()) {
    for (int i = 0; i < 8 && !come; ++i) {
      Policy::pause();
      come = over();
    }
    const std::int64_t before = std::exchange(now, Policy::now());
    if (now - before < patience::lost_ns) {
      awake_ns += now - before;
    } else {
      hinted = false;
      if (settings.hot == hotness::learned) {
        learned.lost(now);
        until = began + settings.spin_ns;
      }
    }
    if (come || now < look_at) continue;
    come = found();
    look_at = now + between_looks_ns;
  }
  worker_counters::add(counters_.awake_ns, awake_ns);
  if (come) worker_counters::add(counters_.wakeups_avoided, std::uint64_t{1});
  return come;
}

}  // namespace evencube::detail
