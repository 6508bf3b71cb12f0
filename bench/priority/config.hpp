#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "../common/program.hpp"
#include "../common/spin_clock.hpp"

namespace bench::priority {

inline const workload about{
    "priority",
    "start",
    {{"load", "1000", "20", "tasks of normal priority that wait already"},
     {"quantum", "20", "5", "microseconds that each of them takes"},
     {"level", "high", "high", "priority of the task that is measured", {"high", "normal"}}}};

/// The tasks of one run: `load` of them keep the workers busy, and one notes when it began.
class burst {
 public:
  using clock = std::chrono::steady_clock;

  burst(std::uint64_t load, std::uint64_t quantum_us, bool urgent)
      : load_(load), span_(clock_.ticks(static_cast<double>(quantum_us))), urgent_(urgent) {}

  [[nodiscard]] std::uint64_t load() const { return load_; }
  /// Whether the last one is to be of high priority.
  [[nodiscard]] bool urgent() const { return urgent_; }

  void be_normal() {
    spin_clock::spin(span_);
    end_one();
  }
  void be_last() {
    began_.store(clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    end_one();
  }

  /// By the thread that spawns, once the workers are at work, or their wake-up would be measured:
  /// the next one is the last.
  void begin_last() {
    while (ended() == 0 && load_ != 0) std::this_thread::yield();
    spawned_ = clock::now();
  }
  /// Seconds until the last one began, when all have ended.
  [[nodiscard]] double latency() {
    while (ended() != load_ + 1) std::this_thread::sleep_for(std::chrono::microseconds(100));
    const clock::time_point began{clock::duration(began_.load(std::memory_order_relaxed))};
    return std::chrono::duration<double>(began - spawned_).count();
  }
  // Acquire: pairs with the release in `end_one`.
  [[nodiscard]] std::uint64_t ended() const { return ended_.load(std::memory_order_acquire); }

 private:
  void end_one() { ended_.fetch_add(1, std::memory_order_acq_rel); }

  spin_clock clock_;
  std::uint64_t load_;
  std::uint64_t span_;
  bool urgent_;
  clock::time_point spawned_;
  std::atomic<clock::rep> began_{0};
  std::atomic<std::uint64_t> ended_{0};
};

/// `call(burst)` spawns, from a thread that is no worker, `load` tasks that are normal and then the
/// last one. Measured: from its spawn until it begins.
template <typename Call>
int measure(program& with, const Call& call) {
  std::uint64_t ended = 0;
  return with.measure({
      .run =
          [&] {
            burst all(with.number("load"), with.number("quantum"), with.word("level") == "high");
            call(all);
            const double latency = all.latency();
            ended = all.ended();
            return latency;
          },
      .verify =
          [&] {
            return ended == with.number("load") + 1 ? "" : std::to_string(ended) + " tasks ran";
          },
  });
}

}  // namespace bench::priority
