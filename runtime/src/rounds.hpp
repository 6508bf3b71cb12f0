#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/task.hpp>

#include "recorder.hpp"

namespace evencube::detail {

class scheduler;

/// Planned migration: reads the loads, asks the balancer, carries the plan out. One round at a
/// time. The protocol of a round under way is argued in runtime/docs/rounds.md.
class rounds {
 public:
  rounds(scheduler& cube, std::unique_ptr<balancer> strategy, transmission how);

  /// A worker that ran dry asks for a round: leads it itself, or wakes the balancer thread. False
  /// if there will be none: one is under way, or it is too soon after the last, or loads are even.
  bool request();
  /// Reads, plans, moves; tasks go on running. False if nothing was to be moved.
  bool carry_out();
  /// The same while every worker stands still; all queues must be wholly shared.
  plan carry_out_held();

  /// The balancer thread's loop.
  void serve(std::int64_t period_ns);
  void trigger() noexcept { bell_.raise(signal_work); }
  void stop() noexcept { bell_.raise(signal_stop); }

  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t spent_ns() const noexcept {
    return spent_ns_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t moved(unsigned dimension) const noexcept {
    return moved_[dimension].load(std::memory_order_relaxed);
  }
  void count_move(unsigned dimension, std::uint64_t tasks) noexcept {
    moved_[dimension].fetch_add(tasks, std::memory_order_relaxed);
  }
  void reset() noexcept;
  /// Where rounds are written down from now on; null: nowhere.
  void record(recorder* into);
  [[nodiscard]] const balancer* strategy() const noexcept { return strategy_.get(); }

 private:
  struct travelling {
    slot_word word;
    std::uint32_t last_from;
  };

  void read_loads();
  void make_plan(std::span<const double> capacities);
  [[nodiscard]] std::span<const double> capacities();
  std::uint64_t transport(const plan& steps);
  void take(std::uint32_t from, load_type quanta, std::vector<travelling>& out);
  void deliver(std::uint32_t to);

  scheduler* cube_;
  std::unique_ptr<balancer> strategy_;
  transmission how_;
  std::mutex one_at_a_time_;
  std::vector<load_type> loads_;
  std::vector<double> capacities_;
  std::vector<double> without_seat_;
  bool alike_ = true;
  bool honours_capacities_ = false;
  plan plan_;
  std::vector<std::vector<travelling>> at_;
  std::vector<slot_word> scratch_;
  recorder* recorder_ = nullptr;
  std::uint64_t seed_ = 0;
  std::atomic<std::int64_t> not_before_{0};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::int64_t> spent_ns_{0};
  std::vector<std::atomic<std::uint64_t>> moved_;
  signal_word bell_;
};

}  // namespace evencube::detail
