#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <evencube/balancing.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/task.hpp>

#include "recorder.hpp"
#include "strategy.hpp"

namespace evencube::detail {

class scheduler;
class worker;

/// Planned migration: reads the loads, asks the balancer, carries the plan out. One round at a
/// time. The protocol of a round under way is argued in runtime/docs/rounds.md.
class rounds {
 public:
  rounds(scheduler& cube, strategy first);

  /// Another strategy from now on; waits for a round under way.
  void use(strategy next);
  [[nodiscard]] policy way() const noexcept { return way_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool keeps_order() const noexcept {
    return keeps_order_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool event_driven() const noexcept {
    return event_driven_.load(std::memory_order_relaxed);
  }

  /// What became of a request.
  enum class answer {
    moved,
    /// Loads are even, or the balancer thread was told.
    nothing,
    /// A round is under way or was a moment ago.
    too_soon
  };

  /// Worker `who` ran dry or crossed the threshold and asks for a round: leads it itself, or wakes
  /// the balancer thread.
  answer request(std::uint32_t who);
  /// Reads, plans, moves; tasks go on running. Throws what the strategy throws.
  answer carry_out();
  /// The same while every worker stands still; all queues must be wholly shared. With an initiator:
  /// its activation alone.
  balancing_round carry_out_held(std::optional<node_id> initiator);

  /// The balancer thread's loop.
  void serve(std::int64_t period_ns);
  void stop() noexcept { bell_.raise(signal_stop); }

  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  /// Rounds that the program did not call for and whose strategy threw.
  [[nodiscard]] std::uint64_t failed() const noexcept {
    return failed_.load(std::memory_order_relaxed);
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

 private:
  struct travelling {
    slot_word word;
    std::uint32_t last_from;
  };

  answer carry_out_unasked() noexcept;
  std::uint64_t activate_callers();
  std::uint64_t act(std::optional<node_id> initiator, bool held);
  void look(std::optional<node_id> initiator, bool held);
  void measure_service_times();

  // transport.cpp
  std::uint64_t transport(bool held);
  // Noexcept: what has been claimed must arrive.
  std::uint64_t carry(const plan& steps, bool held) noexcept;
  void take(std::uint32_t from, load_type quanta, bool held, std::vector<travelling>& out);
  void deliver(std::uint32_t to);
  void count_transfer(const transfer& t, std::uint64_t tasks) noexcept;
  // shift.cpp
  std::uint64_t shift() noexcept;
  std::uint64_t shift_run(std::size_t first, std::size_t last, const std::vector<load_type>& after);

  scheduler* cube_;
  std::mutex one_at_a_time_;  // guards all up to `line_`
  strategy strategy_;
  std::vector<double> speeds_;
  bool alike_;
  balancing_round now_;
  std::uint64_t seeds_ = 0;
  std::vector<std::uint64_t> executed_before_;
  std::int64_t measured_at_;
  std::vector<std::vector<travelling>> at_;
  std::vector<slot_word> scratch_;
  recorder* recorder_ = nullptr;
  std::vector<node_id> line_;

  std::atomic<policy> way_{policy::none};
  std::atomic<bool> keeps_order_{false};
  std::atomic<bool> event_driven_{false};
  /// Bit k: worker k asked to be activated.
  std::vector<std::atomic<std::uint64_t>> callers_;
  std::atomic<std::int64_t> not_before_{0};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::int64_t> spent_ns_{0};
  std::vector<std::atomic<std::uint64_t>> moved_;
  signal_word bell_;
};

}  // namespace evencube::detail
