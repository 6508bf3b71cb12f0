#include "balance/speed_meter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/workers.hpp"

namespace evencube::detail {

void unit_share::see(std::int64_t now, std::int64_t idle_ns, std::int64_t used_ns) noexcept {
  if (seen_at_ != 0) {
    const std::int64_t busy = (now - seen_at_) - (idle_ns - idle_ns_);
    if (busy >= least_busy_ns) {
      // A worker that spins before it sleeps counts as idle, but uses its unit.
      const double share = std::clamp(
          static_cast<double>(used_ns - used_ns_) / static_cast<double>(busy), 0.05, 1.0);
      share_ += (share - share_) / 2;
    }
  }
  seen_at_ = now;
  idle_ns_ = idle_ns;
  used_ns_ = used_ns;
}

speed_meter::speed_meter(std::uint32_t workers)
    : clocks_(std::make_unique<std::atomic<thread_clock>[]>(workers)),
      readings_(workers),
      speeds_(workers, 1.0) {
  for (std::uint32_t k = 0; k < workers; ++k) sits(k, nobodys_clock);
}

void speed_meter::look(all_workers& at) noexcept {
  const std::int64_t began = now_ns();
  if (began - looked_at_ < unit_share::window_ns) return;
  looked_at_ = began;
  for (std::uint32_t k = 0; k < readings_.size(); ++k) {
    reading& here = readings_[k];
    const worker_counters& counters = at.at(k).counters();
    const thread_clock clock = clocks_[k].load(std::memory_order_relaxed);
    // The thread may have ended meanwhile; at worst another thread has the same clock now.
    const std::optional<std::int64_t> used = read_clock(clock);
    const std::int64_t now = now_ns();
    if (here.clock != clock) here.share.forget();
    here.clock = clock;
    if (used) {
      const std::int64_t since = counters.idle_since.load(std::memory_order_relaxed);
      const std::int64_t idle =
          counters.idle_ns.load(std::memory_order_relaxed) + (since != 0 ? now - since : 0);
      here.share.see(now, idle, *used);
    } else {
      here.share.forget();
    }
    speeds_[k] = here.share.value() /
                 std::max(double{counters.slowness.load(std::memory_order_relaxed)}, 0.05);
  }
  alike_ = compare(speeds_);
}

bool speed_meter::compare(std::vector<double>& speeds) noexcept {
  const double most = *std::ranges::max_element(speeds);
  bool alike = true;
  for (double& speed : speeds) {
    const double relative = speed / most;
    speed = relative > 1 - step ? 1 : std::max(std::round(relative / step), 1.0) * step;
    alike = alike && speed == 1;
  }
  return alike;
}

}  // namespace evencube::detail
