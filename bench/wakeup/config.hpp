#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "../common/program.hpp"

namespace bench::wakeup {

inline const workload about{
    "wakeup", "wake-up", {{"idle", "20", "2", "milliseconds of rest before each wake-up"}}};

/// Where all the workers must be at the same time, and when the last of them came.
class meeting {
 public:
  using clock = std::chrono::steady_clock;

  explicit meeting(unsigned wanted) : wanted_(wanted) {}

  /// Waits, busy, until all are here, so that nobody can come twice. Gives up after two seconds.
  void attend() {
    const clock::time_point now = clock::now();
    // Relaxed: published by the increment below, which `here` and `last` follow.
    clock::rep latest = last_.load(std::memory_order_relaxed);
    while (latest < now.time_since_epoch().count() &&
           !last_.compare_exchange_weak(latest, now.time_since_epoch().count(),
                                        std::memory_order_relaxed)) {
    }
    // Release: pairs with the acquiring loads of `here_`.
    here_.fetch_add(1, std::memory_order_acq_rel);
    while (here() < wanted_ && clock::now() - now < std::chrono::seconds(2)) {
    }
  }

  [[nodiscard]] unsigned here() const { return here_.load(std::memory_order_acquire); }
  /// The latest arrival.
  [[nodiscard]] clock::time_point last() const {
    return clock::time_point(clock::duration(last_.load(std::memory_order_relaxed)));
  }

 private:
  const unsigned wanted_;
  std::atomic<unsigned> here_{0};
  std::atomic<clock::rep> last_{0};
};

/// `call(meeting)` makes every worker attend, the calling thread being one of them or not, and
/// returns when all have. Measured: from the call to the arrival of the last.
template <typename Call>
int measure(program& with, const Call& call) {
  const std::uint64_t idle = with.number("idle");
  unsigned came = 0;
  return with.measure({
      .prepare = [&] { std::this_thread::sleep_for(std::chrono::milliseconds(idle)); },
      .run =
          [&] {
            meeting all(with.workers());
            const auto start = meeting::clock::now();
            call(all);
            came = all.here();
            return std::chrono::duration<double>(all.last() - start).count();
          },
      .verify =
          [&] {
            return came == with.workers() ? "" : "only " + std::to_string(came) + " workers came";
          },
  });
}

}  // namespace bench::wakeup
