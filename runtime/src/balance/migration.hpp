#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <evencube/balancing.hpp>
#include <evencube/detail/mailbox.hpp>
#include <evencube/runtime.hpp>

#include "balance/load_board.hpp"
#include "balance/round_calls.hpp"
#include "balance/round_rest.hpp"
#include "balance/round_steps.hpp"
#include "balance/strategy.hpp"
#include "observe/recorder.hpp"
#include "ports/round_service.hpp"
#include "ports/settings.hpp"

namespace evencube::detail {

/// Planned migration: reads the load board, asks the balancer for a plan and carries it out. One
/// round runs at a time. The protocol of a round under way is argued in
/// runtime/src/balance/migration.md.
class migration final : public round_service {
 public:
  migration(const topology& cube, const workers_settings& settings, balancer_mode mode,
            strategy first);

  /// Call before anything else. Sets the workers, and the relative speed of each; also whether to
  /// measure their present speeds.
  void begin(all_workers& workers, std::vector<double> speeds, bool measures_speeds);
  /// The meter of the workers' present speeds; null if speeds are not measured.
  [[nodiscard]] speed_meter* meter() noexcept { return board_.meter(); }

  /// Replaces the strategy; waits for a round under way.
  void use(strategy next);

  round_answer request(std::uint32_t caller) override;
  round_answer call(std::uint32_t caller) override;
  bool help(event_log* log) noexcept override;
  void count_move(move_kind reason, std::uint32_t from, std::uint32_t to,
                  std::uint64_t tasks) noexcept override {
    if (std::max(from, to) >= cube_.nodes()) return;  // a spare worker is no node of the cube
    moved_[index_of(reason, static_cast<unsigned>(std::bit_width(from ^ to)) - 1)].fetch_add(
        tasks, std::memory_order_relaxed);
  }

  /// Reads the loads, plans and moves while tasks go on running. Throws what the strategy throws.
  /// `triggered`: an event-driven strategy acts first at the workers that triggered it.
  round_answer carry_out(bool triggered = false) {
    return carry_out(triggered, std::nullopt, std::unique_lock(one_at_a_time_, std::try_to_lock));
  }
  /// Like `carry_out`, while every worker stands still and all queues are wholly shared. With an
  /// initiator, only its activation is carried out.
  balancing_round carry_out_held(std::optional<node_id> initiator);

  /// Returns a lock; while it is held no round is under way.
  [[nodiscard]] std::unique_lock<std::mutex> between_rounds() {
    return std::unique_lock(one_at_a_time_);
  }

  /// The loop of the balancer thread.
  void serve(std::int64_t period_ns);
  void stop() noexcept { calls_.stop(); }
  /// Called when the runtime is not held any more.
  void gate_opened() noexcept { calls_.gate_opened(); }

  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  /// The number of rounds that the program did not ask for and whose strategy threw.
  [[nodiscard]] std::uint64_t failed() const noexcept {
    return failed_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t spent_ns() const noexcept {
    return spent_ns_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t moved(move_kind reason, unsigned dimension) const noexcept {
    return moved_[index_of(reason, dimension)].load(std::memory_order_relaxed);
  }
  /// The number of steps of rounds that workers without work carried out for the leader.
  [[nodiscard]] std::uint64_t helped() const noexcept {
    return helped_.load(std::memory_order_relaxed);
  }
  /// The sum, over all rounds that moved something, of the largest load divided by the mean before
  /// the round; `imbalance_after` is the sum after it.
  [[nodiscard]] double imbalance_before() const noexcept {
    return imbalance_before_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] double imbalance_after() const noexcept {
    return imbalance_after_.load(std::memory_order_relaxed);
  }
  /// The processor time of the balancer thread.
  [[nodiscard]] std::int64_t thread_ns() const noexcept {
    return thread_ns_.load(std::memory_order_relaxed);
  }
  /// Records rounds into `records` from now on; null: nowhere.
  void record(recorder* records);

 private:
  round_answer carry_out(bool triggered, std::optional<node_id> dry,
                         const std::unique_lock<std::mutex>& lock);
  round_answer carry_out_unasked(std::optional<node_id> dry,
                                 std::unique_lock<std::mutex> lock) noexcept;
  void tell_marks() noexcept;
  void note_caller(std::uint32_t caller) noexcept;
  round_answer lead(std::optional<node_id> dry) noexcept;
  std::uint64_t activate_callers(bool triggered);
  void note_round(std::int64_t took, double imbalance) noexcept;
  static std::size_t index_of(move_kind reason, unsigned dimension) noexcept {
    return std::size_t{dimension} * move_kinds + static_cast<std::size_t>(reason);
  }
  std::uint64_t plan_and_migrate(std::optional<node_id> initiator, bool held);

  // In transport.cpp. Noexcept, because claimed tasks must arrive.
  std::uint64_t carry(bool held) noexcept;
  void carry_out_step(round_steps::step s, event_log* helper) noexcept;
  struct haul;
  haul take(std::uint32_t from, load_type due) noexcept;
  std::uint32_t nearest_in(std::uint32_t from, load_type left) const noexcept;
  load_type take_over(std::uint32_t from, std::uint32_t to) noexcept;
  void note_arrivals(const message& come, const transfer& t, event_log* helper) noexcept;
  void deliver(std::uint32_t to) noexcept;
  void count_transfer(const transfer& t, std::uint64_t tasks) noexcept;
  // In shift.cpp.
  std::uint64_t shift(const plan& steps);
  /// True if the steps of the round go along the locality line, place by place.
  [[nodiscard]] bool steps_keep_order() const noexcept;
  void take_out(node_id k) noexcept;
  void pass_on(const transfer& t) noexcept;
  void deal(std::size_t first, std::size_t last, const std::vector<load_type>& after) noexcept;

  const topology& cube_;
  const bool has_thread_;
  const bool on_demand_;
  const bool pulls_;
  const std::uint64_t threshold_;
  all_workers* workers_ = nullptr;

  std::mutex one_at_a_time_;  // guards all members up to `position_`
  strategy strategy_;
  load_board board_;
  balancing_round round_;
  round_rest rest_;
  std::uint64_t seeds_ = 0;
  round_steps steps_;
  /// True if the runtime stands still during the round under way.
  bool held_ = false;
  /// The worker that ran dry and leads the round under way.
  std::optional<node_id> dry_;
  // For each node: the tasks that have reached it between two steps, in the order in which they
  // came. One step at a time touches it. `sent_` has the tasks of each transfer between its two
  // steps.
  std::vector<message> in_transit_;
  std::vector<message> sent_;
  // For each node: its mail that a step took out and that nothing has needed yet (migration.mail).
  std::vector<message> mail_;
  // For each node, the quanta that it holds beyond what the steps so far planned, because tasks
  // cannot be cut; and how far off each transfer was, between its two steps (migration.nearest).
  std::vector<load_type> errors_;
  std::vector<load_type> sent_errors_;
  /// The cost of the largest queued task in the held round under way.
  load_type largest_ = 1;
  // For each node in a round that keeps the order: the load that stays there, because it runs, and
  // the number of tasks that were taken out.
  std::vector<load_type> fixed_;
  std::vector<std::uint32_t> taken_out_;
  recorder* recorder_ = nullptr;
  // The locality line, and the position of each node on it.
  std::vector<node_id> line_;
  std::vector<std::size_t> position_;

  /// The workers to activate in this round.
  std::vector<bool> called_;
  /// Bit k: worker k asked to be activated.
  std::vector<std::atomic<std::uint64_t>> callers_;
  /// The tasks moved in the round under way.
  std::atomic<std::uint64_t> moved_now_{0};
  /// The steps that helpers have carried out in all rounds.
  std::atomic<std::uint64_t> helped_{0};
  std::atomic<std::int64_t> not_before_{0};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::int64_t> spent_ns_{0};
  /// By dimension, and for each dimension by kind.
  std::vector<std::atomic<std::uint64_t>> moved_;
  // Written under the lock, read by any thread.
  std::atomic<double> imbalance_before_{0};
  std::atomic<double> imbalance_after_{0};
  std::atomic<std::int64_t> thread_ns_{0};
  basic_round_calls<> calls_;
};

}  // namespace evencube::detail
