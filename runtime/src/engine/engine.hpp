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
#include "observe/counter_snapshot.hpp"
#include "observe/recorder.hpp"
#include "search/hot_phases.hpp"
#include "tasks/outside_pools.hpp"

namespace evencube::detail {

/// Throws evencube::error if the calling thread holds the runtime with this number, or is one that
/// it may need for what would be waited for (`check_not_own`).
void check_may_wait_for(std::uint64_t runtime_id);

/// One runtime: the scheduler with its threads, the machine they run on, who plans, and what is
/// counted and recorded.
class engine final : public workers_host {
 public:
  /// `interface` is what users know it by; kept, not used before their first task.
  engine(evencube::runtime& interface, runtime_options options);
  /// Waits for the tasks of `async`, then ends all threads, as runtime/src/life/shutdown.md numbers
  /// it.
  ~engine() override;

  [[nodiscard]] evencube::runtime& interface() const noexcept { return interface_; }
  [[nodiscard]] const machine& hardware() const noexcept { return machine_; }
  /// Why there are so many workers, and which of them are not bound though they should be.
  [[nodiscard]] std::string reason() const;
  /// What each worker does and holds, and the rest, a line each.
  [[nodiscard]] std::string describe() const;
  /// The same, written there. May be called in a signal handler.
  void describe_to(int descriptor) const noexcept;
  [[nodiscard]] const evencube::topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const std::vector<unsigned>& placement() const noexcept { return placement_; }
  [[nodiscard]] detail::all_workers& workers() noexcept { return workers_; }
  [[nodiscard]] migration& rounds() noexcept { return migration_; }
  /// The tasks of `async`: the destructor waits for them.
  [[nodiscard]] group_core& tracker() noexcept { return tracker_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// In the list of those that live (live_engines.hpp), guarded by its lock.
  [[nodiscard]] engine*& next_live() noexcept { return next_live_; }
  /// It has been stopped, and takes nothing more; guarded by the same lock.
  [[nodiscard]] bool& retired() noexcept { return retired_; }

  void run(void (*call)(void*), void* context, const run_options& how);
  /// Queues a task from a thread that is no worker of this runtime.
  void inject(slot_word word, std::optional<unsigned> preferred, const task_label& label = {});
  /// The same for one that is not of normal priority.
  void inject_with_priority(slot_word word, priority level, const task_label& label = {});
  /// Memory for a task of a thread that is no worker of this runtime.
  pooled_block allocate_outside(std::size_t size_class) {
    return outside_pools_.allocate(size_class);
  }
  /// What the destructor of a group does: waits for what is left, if anybody can run it.
  void end_group(group_core& group);
  /// Another strategy from now on.
  void use(const std::string& balancer, const balancer_options& options,
           const std::string& transmission);

  // -- Holding (holding.cpp) ---------------------------------------------------------------------

  void hold();
  /// The same; false if it has been stopped, so that there is nobody to stand still.
  bool try_hold();
  void release() noexcept;
  /// Another engine that the thread which holds this one held before.
  [[nodiscard]] engine* outer_held() const noexcept { return outer_held_; }
  [[nodiscard]] std::vector<load_type> held_loads();
  balancing_round held_balance(std::optional<node_id> initiator);
  [[nodiscard]] std::vector<std::vector<const void*>> held_tasks();
  void start_recording(const recording_options& options);
  recording stop_recording();

  [[nodiscard]] const std::shared_ptr<hot_phases>& phases() const noexcept { return phases_; }

  [[nodiscard]] statistics stats() const;
  void reset_stats();
  /// All that was ever counted; `reset_stats` does not touch it.
  [[nodiscard]] counter_snapshot snapshot() const;

  // -- Ending (ending.cpp) -----------------------------------------------------------------------

  /// What `runtime::stop` does.
  void stop();
  /// Seq_cst: after a task has been refused or dropped, pairs with the store in `stop`, before
  /// which none is.
  [[nodiscard]] bool stopped() const noexcept {
    return stop_called_.load(std::memory_order_seq_cst);
  }

  void check_alive() const override;
  [[nodiscard]] bool left_behind() const noexcept override { return in_forked_child(); }
  void check_not_holder(const char* what) const override;
  /// Throws evencube::error, beginning with `what`, in its observer, and on a thread of its own
  /// outside of tasks: what that waits for might need the thread itself.
  void check_not_own(const char* what) const override;
  [[nodiscard]] bool blocks_here() const noexcept override;
  void start_standby() override;
  void bind_spare(std::uint32_t place) noexcept override;
  void sits(std::uint32_t k, clockid_t whose) noexcept;
  [[noreturn]] void refuse_stopped() const override;
  void observe(observed what, std::uint32_t k) noexcept override;

  /// In a forked child, where the threads do not exist, on one of its own threads, which cannot
  /// wait for itself, in a task of another runtime that its own tasks wait for, or on a thread that
  /// holds it, where nothing runs: to be left as it is.
  [[nodiscard]] bool must_be_abandoned() noexcept;
  [[nodiscard]] bool in_forked_child() const noexcept;
  /// In a forked child, on its only thread: nothing that waits to be run is begun there.
  void leave_to_parent() noexcept;
  /// First part of the destructor: waits for the tasks of `async`. False if then, or before,
  /// somebody is still inside, so that it must be left as it is: a static runtime is destroyed by
  /// `std::exit` on a thread that knows nothing of the others.
  [[nodiscard]] bool comes_to_rest() noexcept;

 private:
  struct seated;
  [[nodiscard]] bool waits_for_caller() noexcept;
  /// The calling thread, one of its own, has left its loop: users' code runs outside of tasks now.
  /// In a forked child ends the process.
  void end_thread(worker& was, bool takes_seat) noexcept;
  /// What such a thread begins runs on it at once, because nobody may be left who would; false on
  /// any other thread.
  template <typename Call>
  bool call_on_ending_thread(Call&& call);
  bool run_on_ending_thread(slot_word word, const task_label& label);
  template <typename Tell>
  void for_each_unbound(Tell&& tell) const;
  template <typename Tell>
  void for_each_line(Tell&& tell) const;
  void thread_main(std::uint32_t k);
  void spare_main(std::uint32_t k);
  [[nodiscard]] bool binds() const noexcept { return options_.pin_to != pinning::none; }
  void record_spawn_outside(slot_word word, std::optional<unsigned> preferred,
                            const task_label& label);
  /// Whether the calling thread holds this runtime.
  [[nodiscard]] bool held_here() const noexcept;
  /// Binds the calling thread to worker k's units and looks whether the system did it.
  void bind_here(std::uint32_t k) noexcept;
  /// The same for the thread that sits in the caller's seat while `run` lasts; looks at the first
  /// call only.
  void bind_caller() noexcept;
  /// Whether the calling thread runs where another worker is bound.
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
  /// Shared with the phases themselves, which may outlive the engine.
  const std::shared_ptr<hot_phases> phases_;
  /// The observer if it is told of tasks, too.
  task_observer* const task_observer_;
  std::atomic<std::uint64_t> failed_observations_{0};
  outside_pools outside_pools_;
  migration migration_;
  detail::all_workers workers_;
  group_core tracker_;
  const std::uint64_t number_;
  engine* next_live_ = nullptr;
  bool retired_ = false;

  std::mutex stop_mutex_;  // one stops it
  bool ended_ = false;     // guarded by it: the threads have been joined
  stoppable stop_;         // among what is stopped
  std::atomic<bool> stop_called_{false};
  std::mutex hold_mutex_;         // one holder at a time
  bool at_rest_ = false;          // guarded by it: nothing runs any more, and nobody holds
  engine* outer_held_ = nullptr;  // another one that the same thread holds

  std::atomic<bool> recording_{false};  // a hint for threads outside
  std::mutex recorder_mutex_;           // guards the pointer, and what threads outside write
  std::unique_ptr<recorder> recorder_;

  mutable std::mutex stats_mutex_;
  counter_snapshot stats_base_;  // at the last reset

  bool caller_was_bound_ = false;  // whoever sits in the caller's seat may touch it
  /// Worker k should be bound and is not.
  std::vector<std::atomic<bool>> unbound_;

  std::vector<std::thread> threads_;
  std::thread standby_;
  /// Its processor time.
  std::atomic<clockid_t> standby_clock_{speed_meter::nobodys};
};

}  // namespace evencube::detail
