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
#include "queues/entrance.hpp"
#include "sync/parking.hpp"
#include "wait/waiting_room.hpp"

namespace evencube::detail {

/// The workers of one runtime and the parts that they share.
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
  /// All threads have ended before this is called.
  ~basic_workers();

  /// The number of workers in the cube.
  [[nodiscard]] std::uint32_t size() const noexcept { return settings_.workers; }
  /// The number of all workers: those of the cube, and then the spare workers, whose numbers
  /// follow.
  [[nodiscard]] std::uint32_t everyone() const noexcept { return spare_workers_.everyone(); }
  [[nodiscard]] worker_type& at(std::uint32_t k) noexcept { return *all_[k]; }
  [[nodiscard]] const worker_type& at(std::uint32_t k) const noexcept { return *all_[k]; }
  [[nodiscard]] const workers_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] workers_host& host() noexcept { return host_; }
  [[nodiscard]] round_service& rounds() noexcept { return rounds_; }
  [[nodiscard]] basic_hold_gate<Policy>& gate() noexcept { return gate_; }
  [[nodiscard]] basic_caller_seat<Policy>& seat() noexcept { return seat_; }
  [[nodiscard]] basic_spare_workers<Policy>& spare_workers() noexcept { return spare_workers_; }
  [[nodiscard]] basic_idle_set<Policy>& idle() noexcept { return idle_; }
  [[nodiscard]] room_type& room() noexcept { return crowd_.room; }
  [[nodiscard]] crowd& sleepers() noexcept { return crowd_; }
  [[nodiscard]] basic_arenas<Policy>& arenas() noexcept { return arenas_; }

  // -- Work from outside -------------------------------------------------------------------------

  /// Queues a task from a thread outside, for the preferred worker if there is one. Blocks while
  /// the injector is full, unless the caller is in a blocking scope or all workers are. Throws once
  /// `close` has been called.
  void inject(slot_word word, std::optional<unsigned> preferred);
  /// Like `inject`, for a task of high or low priority. Never blocks.
  void inject_with_priority(slot_word word, priority level);
  /// Takes the oldest task from outside, or returns 0 if there is none.
  slot_word take_injected(bool ring_first = false) noexcept { return entrance_.take(ring_first); }
  [[nodiscard]] bool injected() const noexcept { return entrance_.ready(); }
  /// The approximate number of tasks in the injector.
  [[nodiscard]] std::size_t injected_length() const noexcept {
    return entrance_.injector().length();
  }
  /// Queues a task of high or low priority, from any thread, and makes sure that a worker runs it
  /// soon. `log` is that of the worker that made the task, if it records, and `label` the label of
  /// the task there.
  void enqueue(slot_word word, priority level, event_log* log = nullptr,
               task_label label = {}) noexcept;
  /// The priority list of high priority. Its tasks begin before all others.
  [[nodiscard]] basic_priority_list<Policy>& high() noexcept { return entrance_.high(); }
  /// The priority list of low priority. Its tasks begin when a worker has found no other task.
  [[nodiscard]] basic_priority_list<Policy>& low() noexcept { return entrance_.low(); }
  /// The tasks that were set aside. Any worker may take them.
  [[nodiscard]] basic_priority_list<Policy>& aside() noexcept { return entrance_.aside(); }
  /// Sends tasks to worker k, and makes sure that they run soon.
  void send(std::uint32_t k, const message& sent) noexcept;
  /// Called when mail of worker `k` is there and its bell has been raised; `woken` is true if the
  /// worker slept. Otherwise an idle worker may have to take the mail.
  void tell_of_mail(std::uint32_t k, bool woken) noexcept;

  // -- Sleep -------------------------------------------------------------------------------------

  /// Announces work that any worker may run: wakes an idle worker. If all workers sleep in waits,
  /// wakes one of them, which finds a worker that needs the task.
  void announce_work() noexcept;
  bool wake_one_idle() noexcept;
  /// Wakes worker k, which asked for work, and the standby thread if that is to be worker k.
  void ring(std::uint32_t k) noexcept;
  /// Announces that there may be work for any worker: wakes an idle worker and returns true. If no
  /// worker is idle, calls the workers that are awake, which may never run dry (invariant
  /// injector.turns).
  bool call_somebody() noexcept;
  /// Ends the call of `call_somebody`, after a worker that was called has found nothing.
  void end_call() noexcept;
  /// Announces a free permit of an arena for tasks that have waited for one, or, if `wanted`, for a
  /// future that a wait lacked a permit to begin.
  void notify_of_permit(bool wanted) noexcept;
  /// Announces that a loop has kept a failure. At their next check, workers end the iterations of
  /// that loop.
  void tell_failure() noexcept;
  /// The number of failures announced so far. Acquire: pairs with the release in `tell_failure`, so
  /// that a thread that sees the number also sees the failure that was kept.
  [[nodiscard]] std::uint32_t failures_told() const noexcept {
    return failures_told_.load(std::memory_order_acquire);
  }
  /// True if a worker without work may take tasks that were sent to other workers.
  [[nodiscard]] bool raids() const noexcept {
    return rounds_.way() != strategy_kind::none && !rounds_.only_rounds();
  }
  /// True if there is work that a worker without work may take and that raises no bell. The queue
  /// of `busy` counts only if it has more than one task, because `busy` is going to run one.
  /// O(workers).
  [[nodiscard]] bool work_in_reach(const worker_type* busy = nullptr) noexcept;
  /// True if every worker sleeps in a wait, or is about to, and no thread can come to work instead.
  [[nodiscard]] bool everybody_asleep() const noexcept;
  /// True if every worker is in a blocking scope and no spare worker holds its place.
  [[nodiscard]] bool nobody_works() const noexcept;
  /// Called by a worker in the waiting room when all workers are asleep; the caller holds the lock
  /// of the room. Takes all tasks that have not begun and gives each to a worker that needs it.
  /// Sets aside what no worker needs, except for the tasks of `last` itself.
  void match(worker_type& last) noexcept;

  // -- The caller's seat --------------------------------------------------------------------------

  /// Returns false if the caller's seat is taken, or all workers stand still. `function` is the
  /// function that the caller of `run` is going to call.
  bool take_seat(occupant taker, const void* function = nullptr) noexcept;
  /// Called by the caller of `run` before it leaves the seat: worker 0 has no work from now on.
  void end_call_at_seat() noexcept;
  /// Returns true if there is work in reach, which another thread has been called for if there is
  /// one.
  bool leave_seat() noexcept;
  /// The loop of the standby thread. Returns when the thread is to stop.
  void serve_standby();
  /// Makes the standby thread if there is none and `stop` has not been called. Throws
  /// std::system_error.
  void ensure_standby();

  // -- Blocking scopes (life/blocking-inl.hpp) ----------------------------------------------------

  /// Worker `caller` enters a blocking scope. Its thread does not touch it until `end_blocking`.
  /// Returns the argument of `end_blocking`: whether the worker ran a task.
  bool begin_blocking(worker_type& caller) noexcept;
  void end_blocking(worker_type& caller, bool was_busy) noexcept;
  /// The loop of the thread of spare worker k. Returns when the thread is to stop.
  void serve_spare(std::uint32_t k);

  // -- Holding and ending ------------------------------------------------------------------------

  /// Returns when all workers stand still. Called by one thread at a time.
  void close_gate() noexcept;
  void open_gate() noexcept;
  /// Called while all workers stand still: delivers the mail, and shares all queued tasks.
  void settle() noexcept;
  /// From now on threads outside bring neither tasks nor a caller of `run` to the caller's seat.
  void close() noexcept;
  [[nodiscard]] bool stopping() const noexcept { return entrance_.closed(); }
  /// Calls `send`, which brings something from outside or counts it. Throws evencube::error if the
  /// runtime is being stopped.
  template <typename Send>
  void unless_stopping(const Send& send) {
    if (!entrance_.send_unless_closed(send)) host_.refuse_stopped();
  }
  /// Called after `close`, while no round is under way and no thread holds the runtime: true if all
  /// workers sleep without work, nothing counts in `tracker`, such as a promise or a suspended
  /// coroutine, and no task is left anywhere (invariant shutdown.drained).
  [[nodiscard]] bool nothing_left(basic_group<Policy>& tracker) noexcept;
  /// True if a worker sleeps in a wait. May be out of date at once, as may `anybody_busy`, which is
  /// true if a worker runs a task.
  [[nodiscard]] bool anybody_waits() const noexcept {
    return crowd_.asleep.load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] bool anybody_busy() const noexcept;
  /// True if no worker runs a task or is about to, and no task is left that a worker would take.
  /// Unlike `nothing_left`, this is also true while workers stay awake without work.
  [[nodiscard]] bool at_rest() noexcept;
  /// Tells all threads to end. No standby thread is made any more.
  void stop() noexcept;

  /// Writes one line for people: the caller's seat, the sleepers, the work from outside.
  void describe(text_line& to) const noexcept;

 private:
  void tell_of_injected() noexcept;
  void set_seat_deserted(worker_type& self, bool value) noexcept;
  bool vacate_seat() noexcept;
  /// True if there is work that only an idle worker, or one that was called, takes.
  bool left_to_others() noexcept;
  bool serve_places(worker_type& self);
  bool retire(worker_type& self) noexcept;
  void hand_over(worker_type& from) noexcept;
  void serve_lone_queue() noexcept;
  std::int64_t all_idle_since() noexcept;
  [[nodiscard]] std::int64_t all_out_of_work_since() const noexcept;

  const workers_settings settings_;
  workers_host& host_;
  round_service& rounds_;
  crowd crowd_;
  std::vector<std::unique_ptr<worker_type>> all_;  // all workers, the spare workers too
  basic_idle_set<Policy> idle_;  // the workers, the standby thread, the spare workers
  basic_entrance<Policy> entrance_;
  basic_arenas<Policy> arenas_;
  basic_caller_seat<Policy> seat_;
  basic_spare_workers<Policy> spare_workers_;
  basic_hold_gate<Policy> gate_;
  typename Policy::template atomic<std::uint32_t> failures_told_{0};
};

// Declared extern in the library alone. The code of users instantiates the members that they inline
// from the header, so in a shared library it calls only members that are marked for export. With
// this declaration, unoptimised code of users would call all the other members, too.
extern template class basic_worker<std_policy>;
extern template class basic_workers<std_policy>;

}  // namespace evencube::detail
