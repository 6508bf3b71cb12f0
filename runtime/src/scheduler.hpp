#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <evencube/detail/group_core.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/runtime.hpp>

#include "falling_asleep.hpp"
#include "injection_queue.hpp"
#include "links.hpp"
#include "machine/affinity.hpp"
#include "outside_pools.hpp"
#include "recorder.hpp"
#include "rounds.hpp"

namespace evencube::detail {

/// All that the workers of one runtime share. Its parts: the seat of worker 0 (seat.cpp), work from
/// outside (injection.cpp), holding (holding.cpp), rounds (rounds.cpp).
class scheduler {
 public:
  explicit scheduler(runtime_options options);
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;
  ~scheduler();

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(workers_.size());
  }
  [[nodiscard]] worker& at(std::uint32_t k) noexcept { return *workers_[k]; }

  // -- Work from outside -------------------------------------------------------------------------

  /// Where the calling thread, outside, takes the memory of its tasks from.
  block_pool& outside_pool() { return outside_pools::mine(outside_pools_); }
  /// Queues a task from a thread outside; blocks while `injection_capacity` tasks wait.
  void inject(slot_word word, std::int64_t home);
  /// For a worker without work: up to `count` injected tasks.
  void take_injected(std::uint32_t count, std::vector<slot_word>& out);
  [[nodiscard]] bool injected() const noexcept { return injection_.ready(); }
  /// Delivers to worker k; to its open queue while nobody sits in the seat of worker 0.
  void deliver(slot_word word, std::uint32_t home);

  // -- Sleep -------------------------------------------------------------------------------------

  /// Wakes one of the workers that sleep without work, if there is one.
  bool wake_one_idle() noexcept;
  /// Whether every worker that has a thread sleeps in a wait, or is about to.
  [[nodiscard]] bool everybody_waits() const noexcept { return waiting() >= size(); }
  /// The same for all but the caller.
  [[nodiscard]] bool everybody_else_waits() const noexcept { return waiting() + 1 >= size(); }
  /// Wakes every worker in a wait, and every outside thread in one.
  void wake_waiters() noexcept;
  /// Blocks a thread that is no worker of this runtime until the group has no tasks left.
  void wait_outside(group_core& group);

  // -- Seat of worker 0 --------------------------------------------------------------------------

  void run(void (*call)(void*), void* context);
  /// Takes the seat if it is free. The caller leaves it by `leave_seat`.
  bool try_take_seat();
  void leave_seat() noexcept;
  void look_after_seat();

  // -- Holding -----------------------------------------------------------------------------------

  void hold();
  [[nodiscard]] bool holding() const noexcept { return holding_.load(std::memory_order_relaxed); }
  void release() noexcept;
  void stand_still(worker& w) noexcept;
  [[nodiscard]] std::vector<load_type> held_loads();
  balancing_round held_balance(std::optional<node_id> initiator);
  /// The queued tasks of each worker, newest first; everybody stands still.
  [[nodiscard]] std::vector<std::vector<const void*>> held_tasks();

  /// Another strategy from now on.
  void use(const std::string& balancer, const balancer_options& options,
           const std::string& transmission);

  // -- Recording ---------------------------------------------------------------------------------

  void start_recording(const recording_options& options);
  recording stop_recording();

  void check_alive() const;
  [[nodiscard]] bool forked_away() const noexcept;
  [[nodiscard]] statistics stats() const;
  void reset_stats() noexcept;

  std::string reason_;
  machine machine_;
  runtime_options options_;
  std::vector<unsigned> placement_;
  topology graph_;
  bool idle_leads_;
  std::int64_t spin_ns_;
  std::shared_ptr<outside_pools> outside_pools_ = std::make_shared<outside_pools>();
  std::vector<std::unique_ptr<worker>> workers_;
  links links_;
  rounds rounds_;
  group_core tracker_;
  idle_set idle_;
  /// Workers asleep in a wait, or about to be.
  std::atomic<std::uint32_t> blocked_{0};
  std::atomic<bool> seat_taken_{false};
  /// Consecutive turns of `worker::rescue` that found nothing.
  std::atomic<std::uint32_t> rescue_turns_{0};
  std::mutex rescue_;

 private:
  struct recorded_root;

  // Seq_cst: the last of them sees the count complete.
  [[nodiscard]] std::uint32_t waiting() const noexcept {
    return blocked_.load(std::memory_order_seq_cst) +
           (seat_taken_.load(std::memory_order_seq_cst) ? 0 : 1);
  }
  [[nodiscard]] bool roomy() const noexcept;
  void thread_main(std::uint32_t k);
  void stop_threads() noexcept;
  void empty_seat() noexcept;
  void settle_held();

  friend class rounds;

  injection_queue injection_;
  std::atomic<std::uint32_t> injection_waiters_{0};
  std::mutex injection_mutex_;
  std::condition_variable injection_room_;

  std::mutex seat_mutex_;                 // guards who sits, and the vacant seat's queue
  std::condition_variable seat_changed_;  // also: a group that outsiders wait for may be done
  std::unique_ptr<affinity_guard> seat_affinity_;
  worker* seat_outer_ = nullptr;

  std::mutex hold_mutex_;  // one holder at a time
  std::mutex still_mutex_;
  std::condition_variable still_changed_;
  std::atomic<bool> holding_{false};
  std::uint32_t still_ = 0;  // workers that stand still in this hold
  std::uint64_t hold_number_ = 0;

  std::atomic<bool> recording_{false};  // a hint for threads outside
  std::mutex recorder_mutex_;           // guards the pointer, and what threads outside write
  std::unique_ptr<recorder> recorder_;

  std::atomic<std::int64_t> stats_since_;
  unsigned fork_generation_;
  std::vector<std::thread> threads_;
};

}  // namespace evencube::detail
