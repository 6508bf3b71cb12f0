#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <evencube/detail/group.hpp>
#include <evencube/detail/worker.hpp>

#include "arenas/arena_core.hpp"
#include "life/caller_seat.hpp"
#include "life/hold_gate.hpp"
#include "life/spare_workers.hpp"
#include "observe/event_log.hpp"
#include "ports/host.hpp"
#include "ports/round_service.hpp"
#include "ports/settings.hpp"
#include "queues/injector.hpp"
#include "queues/priority_list.hpp"
#include "sync/parking.hpp"
#include "wait/waiting_room.hpp"

namespace evencube::detail {

/// The workers of one runtime and the parts they share.
template <typename Policy>
class basic_workers {
 public:
  using worker_type = basic_worker<Policy>;
  using room_type = basic_waiting_room<Policy>;
  using crowd = typename room_type::crowd;

  basic_workers(const workers_settings& settings, workers_host& host, round_service& rounds,
                room_type& room);
  basic_workers(const basic_workers&) = delete;
  basic_workers& operator=(const basic_workers&) = delete;
  /// All threads have ended.
  ~basic_workers();

  /// The nodes of the cube.
  [[nodiscard]] std::uint32_t size() const noexcept { return settings_.workers; }
  /// These and, numbered behind them, the spare workers.
  [[nodiscard]] std::uint32_t everyone() const noexcept { return everyone_; }
  [[nodiscard]] worker_type& at(std::uint32_t k) noexcept { return *all_[k]; }
  [[nodiscard]] const worker_type& at(std::uint32_t k) const noexcept { return *all_[k]; }
  [[nodiscard]] const workers_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] workers_host& host() noexcept { return host_; }
  [[nodiscard]] round_service& rounds() noexcept { return rounds_; }
  [[nodiscard]] basic_hold_gate<Policy>& gate() noexcept { return gate_; }
  [[nodiscard]] basic_caller_seat<Policy>& seat() noexcept { return seat_; }
  [[nodiscard]] basic_spare_workers<Policy>& spare_workers() noexcept { return spare_workers_; }
  [[nodiscard]] basic_idle_set<Policy>& idle() noexcept { return idle_; }
  [[nodiscard]] room_type& room() noexcept { return room_; }
  [[nodiscard]] crowd& sleepers() noexcept { return crowd_; }
  [[nodiscard]] basic_arenas<Policy>& arenas() noexcept { return arenas_; }

  // -- Work from outside -------------------------------------------------------------------------

  /// Queues a task from a thread outside, for the preferred worker if there is one; blocks while
  /// too many wait, except in a blocking scope, or while all workers are in one. Refused once
  /// `close` was called.
  void inject(slot_word word, std::optional<unsigned> preferred);
  /// The same for a task of high or low priority, which never blocks.
  void inject_with_priority(slot_word word, priority level);
  /// The oldest injected task; 0 if there is none.
  slot_word take_injected() noexcept {
    if (const slot_word word = aside_.empty() ? 0 : aside_.take_oldest()) return word;
    return injector_.take();
  }
  [[nodiscard]] bool injected() const noexcept { return aside_.occupied() || injector_.ready(); }
  /// About how many there are.
  [[nodiscard]] std::size_t injected_length() const noexcept { return injector_.length(); }
  /// Queues a task of high or low priority, from whatever thread, and sees to it that somebody runs
  /// it soon.
  void enqueue(slot_word word, priority level) noexcept;
  /// The priority list of tasks that begin before all others, ...
  [[nodiscard]] basic_priority_list<Policy>& high() noexcept { return high_; }
  /// ... and that of those for which there is time when there is nothing else.
  [[nodiscard]] basic_priority_list<Policy>& low() noexcept { return low_; }
  /// Sends tasks to worker k, and sees to it that somebody runs them soon.
  void send(std::uint32_t k, const message& sent) noexcept;

  // -- Sleep -------------------------------------------------------------------------------------

  /// There is work that anybody may run: wakes one who has none or, if all others wait, one of
  /// those, who looks for who needs it.
  void announce_work() noexcept;
  bool wake_one_idle() noexcept;
  /// There may be work that any worker may run: wakes an idle one and returns true. If none is
  /// idle, calls those at work, which may never run dry (invariant injector.turns).
  bool call_somebody() noexcept;
  /// Those who were called have found nothing.
  void end_call() noexcept;
  /// There is a place in an arena for tasks that have waited for one, or, if `wanted`, for a future
  /// that somebody waits for.
  void notify_of_permit(bool wanted) noexcept;
  /// A failure has been kept: workers end their loops of it at the next look.
  void tell_failure() noexcept;
  /// How often that was told. Acquire: pairs with the release in `tell_failure`, so that who sees
  /// the number sees what was kept.
  [[nodiscard]] std::uint32_t failures_told() const noexcept {
    return failures_told_.load(std::memory_order_acquire);
  }
  /// Whether a worker without work may take what was sent to others.
  [[nodiscard]] bool raids() const noexcept {
    return rounds_.way() != strategy_kind::none && !rounds_.only_rounds();
  }
  /// Whether there is something that a worker without work may take and that no signal tells of;
  /// more than one task where `busy` is going to run that one. O(workers).
  [[nodiscard]] bool work_in_reach(const worker_type* busy = nullptr) noexcept;
  /// Whether every worker sleeps in a wait, or is about to, and nobody can come to work instead.
  [[nodiscard]] bool everybody_asleep() const noexcept;
  /// Whether every worker is in a blocking scope, and nobody holds its place.
  [[nodiscard]] bool nobody_works() const noexcept;
  /// By a worker in the room, when everybody is asleep: takes up everything that nobody has begun
  /// and gives each task to one who needs it. What nobody needs goes to `last`. Holds the room.
  void match(worker_type& last) noexcept;

  // -- The caller's seat
  // ------------------------------------------------------------------------------------

  /// False if the caller's seat is taken, or all stand still.
  bool take_seat(occupant who) noexcept;
  void leave_seat() noexcept;
  /// The standby thread's loop; returns when it is to stop.
  void serve_standby();
  /// Makes the standby thread if there is none, and the end has not come. Throws std::system_error.
  void ensure_standby();

  // -- Blocking scopes (life/blocking-inl.hpp)
  // -------------------------------------------------------

  /// Worker `by` goes into a blocking scope; until `end_blocking` its thread does not touch it.
  /// Gives back what that wants to know: whether it ran a task.
  bool begin_blocking(worker_type& by) noexcept;
  void end_blocking(worker_type& by, bool was_busy) noexcept;
  /// The loop of spare worker k's thread; returns when it is to stop.
  void serve_spare(std::uint32_t k);

  // -- Holding and ending ------------------------------------------------------------------------

  /// Returns when all workers stand still. One thread at a time.
  void close_gate() noexcept;
  void open_gate() noexcept;
  /// While all stand still: what is on its way arrives, and everything is shared.
  void settle() noexcept;
  /// From now on nothing comes from outside, and no caller of `run` to the caller's seat.
  void close() noexcept;
  [[nodiscard]] bool stopping() const noexcept {
    // Seq_cst: after the caller's seat has been taken, or a send announced; pairs with the store in
    // `close`, after which both are looked at (invariant shutdown.drained).
    return stopping_.load(std::memory_order_seq_cst);
  }
  /// Once it is closed, and while no round is under way: whether all workers sleep without work and
  /// no task is left anywhere (invariant shutdown.drained).
  [[nodiscard]] bool nothing_left() noexcept;
  /// Whether a worker sleeps in a wait, or runs a task. A glance.
  [[nodiscard]] bool anybody_waits() const noexcept {
    return crowd_.asleep.load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] bool anybody_busy() const noexcept;
  /// Tells all threads to end. No standby thread is made any more.
  void stop() noexcept;

  /// One line for people: the caller's seat, the sleepers, the work from outside.
  void describe(text_line& to) const noexcept;

 private:
  void tell_of_injected() noexcept;
  void vacate_seat() noexcept;
  /// Whether there is work that only a worker which is idle or called takes.
  bool left_to_others() noexcept;
  bool serve_places(worker_type& self);
  bool retire(worker_type& self) noexcept;
  void hand_over(worker_type& from) noexcept;
  void serve_lone_queue() noexcept;
  /// What comes from outside, if it is not refused.
  template <typename Send>
  void unless_stopping(Send&& send);
  std::int64_t all_idle_since() noexcept;

  const workers_settings settings_;
  const std::uint32_t everyone_;
  workers_host& host_;
  round_service& rounds_;
  room_type& room_;
  crowd crowd_;
  std::vector<std::unique_ptr<worker_type>> all_;  // everyone
  basic_idle_set<Policy> idle_;  // the workers, the standby thread, the spare workers
  basic_injector<Policy> injector_;
  basic_priority_list<Policy>
      aside_;  // before that: what nobody made room for, or `match` found no use for
  basic_priority_list<Policy> high_;
  basic_priority_list<Policy> low_;
  basic_arenas<Policy> arenas_;
  basic_caller_seat<Policy> seat_;
  basic_spare_workers<Policy> spare_workers_;
  basic_hold_gate<Policy> gate_;
  basic_futex_lock<Policy> standby_lock_;  // one makes the standby thread
  bool no_more_standby_ = false;           // guarded by it
  typename Policy::template atomic<bool> stopping_{false};
  /// Threads outside that are about to send something to a worker.
  typename Policy::template atomic<std::uint32_t> sends_{0};
  typename Policy::template atomic<std::uint32_t> failures_told_{0};
};

// Said to the library alone. Who uses it compiles for itself what stands in the header, and so
// calls in a shared library only what is marked there; without optimising it would call all the
// rest, too.
extern template class basic_worker<std_policy>;
extern template class basic_workers<std_policy>;

}  // namespace evencube::detail
