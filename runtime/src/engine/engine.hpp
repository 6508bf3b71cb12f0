#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <evencube/blocking.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/runtime.hpp>

#include "balance/migration.hpp"
#include "engine/workers.hpp"
#include "machine/affinity.hpp"
#include "machine/quota_watch.hpp"
#include "observe/counter_snapshot.hpp"
#include "observe/recorder.hpp"
#include "platform/platform.hpp"
#include "search/hot_phases.hpp"
#include "tasks/outside_pools.hpp"

namespace evencube::detail {

/// Throws evencube::error if the calling thread must not wait for the runtime with this number: the
/// thread holds it, or is a thread of it that the awaited tasks may need (`check_not_own`).
void check_may_wait_for(std::uint64_t runtime_id);

/// One runtime: the workers with their threads, the machine that they run on, the balancer, and the
/// counters and recordings.
class engine final : public workers_host {
 public:
  /// `interface` is the handle that users have. It is only stored, and not used before the first
  /// task of the users runs.
  engine(evencube::runtime& interface, runtime_options options);
  /// Waits for the tasks of `async`, and then ends all threads by the steps of
  /// runtime/src/life/shutdown.md.
  ~engine() override;

  [[nodiscard]] evencube::runtime& interface() const noexcept { return interface_; }
  [[nodiscard]] const machine& hardware() const noexcept { return machine_; }
  /// Explains the number of workers, and names the workers that should be bound and are not.
  [[nodiscard]] std::string reason() const;
  /// Describes the state of each worker, a line each, and then the state of the parts that they
  /// share.
  [[nodiscard]] std::string describe() const;
  /// Like `describe`, but writes the text to `descriptor`. May be called in a signal handler.
  void describe_to(int descriptor) const noexcept;
  [[nodiscard]] const evencube::topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const std::vector<unsigned>& placement() const noexcept { return placement_; }
  [[nodiscard]] detail::all_workers& workers() noexcept { return workers_; }
  [[nodiscard]] migration& rounds() noexcept { return migration_; }
  /// The group of the tasks of `async`. The destructor waits for them.
  [[nodiscard]] group_core& tracker() noexcept { return tracker_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// The next engine in the list of living engines (live_engines.hpp), guarded by the lock of the
  /// list.
  [[nodiscard]] engine*& next_live() noexcept { return next_live_; }
  /// True when this engine has been stopped and takes no more work; guarded by the lock of the list
  /// of living engines.
  [[nodiscard]] bool& retired() noexcept { return retired_; }

  void run(void (*call)(void*), void* context, const run_options& options);
  /// Queues a task from a thread that is no worker of this runtime.
  void inject(slot_word word, std::optional<unsigned> preferred, const task_label& label = {});
  /// Like `inject`, for a task of high or low priority.
  void inject_with_priority(slot_word word, priority level, const task_label& label = {});
  /// Allocates memory for a task of a thread that is no worker of this runtime.
  pooled_block allocate_outside(std::size_t size_class) {
    return outside_pools_.allocate(size_class);
  }
  /// Called by the destructor of a group: waits for the unfinished tasks if a thread can run them.
  void end_group(group_core& group);
  /// Uses another strategy from now on.
  void use(const std::string& balancer, const balancer_options& options,
           const std::string& transmission);

  // -- Holding (holding.cpp) ---------------------------------------------------------------------

  void hold();
  /// Like `hold`, but returns false if the runtime has been stopped, because no worker is left that
  /// could stand still.
  bool try_hold();
  void release() noexcept;
  /// The engine that the holding thread held before it held this one, or null.
  [[nodiscard]] engine* outer_held() const noexcept { return outer_held_; }
  [[nodiscard]] std::vector<load_type> held_loads();
  balancing_round held_balance(std::optional<node_id> initiator);
  [[nodiscard]] std::vector<std::vector<const void*>> held_tasks();
  void start_recording(const recording_options& options);
  recording stop_recording();
  /// Implements `runtime::save_trace`.
  void save_trace(const std::string& file, const std::string& about);
  /// Starts the recording that the environment asks for with EVENCUBE_TRACE, if it does. The
  /// destructor, or a recording of the program's own, ends it and writes it. Called before any
  /// thread uses the runtime.
  void record_if_asked() noexcept;

  [[nodiscard]] const std::shared_ptr<hot_phases>& phases() const noexcept { return phases_; }

  [[nodiscard]] statistics stats() const;
  void reset_stats();
  /// Writes a summary of the statistics to standard error.
  void tell_statistics() const noexcept;
  /// All counts since the runtime was made. `reset_stats` does not change them.
  [[nodiscard]] counter_snapshot snapshot() const;

  // -- Ending (life/stop_runtime.cpp) -------------------------------------------------------------

  /// Implements `runtime::stop`.
  void stop();
  /// True once `stop` has been called. Seq_cst: a caller reads it after a task has been refused or
  /// dropped. It pairs with the store in `stop`; no task is refused or dropped before that store.
  [[nodiscard]] bool stopped() const noexcept {
    return stop_called_.load(std::memory_order_seq_cst);
  }

  void check_alive() const override;
  [[nodiscard]] bool left_behind() const noexcept override { return in_forked_child(); }
  void check_not_holder(const char* what) const override;
  /// Throws evencube::error, beginning with `what`, in the observer of this runtime, and on a
  /// thread of this runtime outside of tasks. The awaited tasks might need this very thread.
  void check_not_own(const char* what) const override;
  [[nodiscard]] bool blocks_here() const noexcept override;
  void start_standby() override;
  void bind_spare(std::uint32_t place) noexcept override;
  void sits(std::uint32_t k, thread_clock clock) noexcept;
  [[noreturn]] void refuse_stopped() const override;
  void note_sent(slot_word sent, std::optional<unsigned> home,
                 const task_label& label) noexcept override;
  void observe(observed what, std::uint32_t k) noexcept override;
  [[nodiscard]] bool quota_leaves_room(std::int64_t& now) noexcept override;

  /// True if the destructor must leave this engine as it is. There are four such cases: a forked
  /// child, where the threads do not exist; a thread of this engine, or one that calls its
  /// observer, which cannot wait for itself; a task of another runtime that the tasks of this one
  /// wait for; a thread that holds this engine, where nothing runs.
  [[nodiscard]] bool must_be_abandoned() noexcept;
  [[nodiscard]] bool in_forked_child() const noexcept;
  /// Called in a forked child, on its only thread: keeps tasks that have not begun from being begun
  /// there.
  void leave_to_parent() noexcept;
  /// The first part of the destructor: waits for the tasks of `async`. Returns false if, before or
  /// after that, other threads still use the engine, so that it must be left as it is. This happens
  /// when `std::exit` destroys a static runtime on a thread that knows nothing of the others.
  [[nodiscard]] bool comes_to_rest() noexcept;

 private:
  struct seated;
  struct seated_alone;
  /// True if there is one worker, no spare one, and no observer.
  [[nodiscard]] bool is_lone() const noexcept {
    return workers_.everyone() == 1 && options_.observer == nullptr;
  }
  /// Calls `call` on the calling thread as the lone worker. Returns false if the seat is taken.
  bool run_alone(void (*call)(void*), void* context);
  /// Called after a lone worker's thread has left work behind: calls the standby thread.
  void leave_work_to_standby() noexcept;
  [[noreturn]] void refuse_call_at_seat();
  [[nodiscard]] bool waits_for_caller() noexcept;
  /// Called by a thread of this engine that has left its loop. From now on the thread runs code of
  /// the users outside of tasks. In a forked child, ends the process.
  void end_thread(worker& was, bool takes_seat) noexcept;
  /// On a thread that has left its loop, calls `call` at once as the worker of that thread, because
  /// no other thread may be left to run it. Returns false on any other thread.
  template <typename Call>
  bool call_on_ending_thread(Call&& call);
  bool run_on_ending_thread(slot_word word, const task_label& label);
  template <typename Tell>
  void for_each_unbound(Tell&& tell) const;
  template <typename Tell>
  void for_each_line(Tell&& tell) const;
  void thread_main(std::uint32_t k);
  void spare_main(std::uint32_t k);
  [[nodiscard]] bool binds() const noexcept {
    return options_.pin_to != pinning::none && can_bind_threads();
  }
  /// Writes a recording that the environment asked for. Failures are only reported on standard
  /// error, because they must not fail the program.
  void write_requested_trace(const std::string& file, recorder& made) const noexcept;
  /// True if the calling thread holds this runtime.
  [[nodiscard]] bool held_here() const noexcept;
  /// Binds the calling thread to the units of worker k and checks that the system did so.
  void bind_here(std::uint32_t k) noexcept;
  /// Like `bind_here` for worker 0, for the thread that sits in the caller's seat while `run`
  /// lasts. Only the first call checks the result.
  void bind_caller() noexcept;
  /// True if the calling thread runs on a unit to which another worker is bound.
  [[nodiscard]] bool stands_in_the_way() const noexcept;
  void serve_rounds();
  void wait_for_rest();
  void close_for_good(bool waits) noexcept;
  [[nodiscard]] bool used_from_outside() noexcept;
  [[nodiscard]] bool tasks_go_on() noexcept;
  void stop_threads() noexcept;

  evencube::runtime& interface_;
  std::string reason_;
  machine machine_;
  runtime_options options_;
  std::vector<unsigned> placement_;
  std::vector<std::vector<unsigned>>
      bound_to_;  // the units of each worker, by the system's numbers
  evencube::topology topology_;
  const unsigned fork_generation_;
  /// Shared with the hot phases, which may outlive the engine.
  const std::shared_ptr<hot_phases> phases_;
  /// The observer if it also observes tasks, or null.
  task_observer* const task_observer_;
  std::atomic<std::uint64_t> failed_observations_{0};
  quota_watch quota_;
  outside_pools outside_pools_;
  migration migration_;
  detail::all_workers workers_;
  group_core tracker_;
  const std::uint64_t number_;
  engine* next_live_ = nullptr;
  bool retired_ = false;

  std::mutex stop_mutex_;  // held by the one thread that stops this engine
  bool ended_ = false;     // guarded by stop_mutex_: the threads have been joined
  stoppable stop_;         // this engine as an entry in the list of stopped groups and runtimes
  std::atomic<bool> stop_called_{false};
  std::mutex hold_mutex_;  // held by the one thread that holds this engine
  bool at_rest_ = false;   // guarded by hold_mutex_: nothing runs any more, and no thread may hold
  engine* outer_held_ = nullptr;  // another engine that the same thread holds, or null

  std::atomic<bool> recording_{false};  // a hint for threads outside
  std::mutex recorder_mutex_;           // guards recorder_, and what threads outside write to it
  std::unique_ptr<recorder> recorder_;
  /// The file for the recording in progress if the environment asked for it, otherwise empty.
  /// Guarded by recorder_mutex_.
  std::string requested_trace_;

  mutable std::mutex stats_mutex_;
  counter_snapshot stats_base_;  // the counts at the last reset

  bool caller_was_bound_ = false;  // only the occupant of the caller's seat may touch it
  /// True where worker k should be bound and is not.
  std::vector<std::atomic<bool>> unbound_;

  std::vector<std::thread> threads_;
  std::thread standby_;
  /// The clock of the processor time of the standby thread.
  std::atomic<thread_clock> standby_clock_{nobodys_clock};
};

}  // namespace evencube::detail
