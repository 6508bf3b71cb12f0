#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <evencube/balancers/plan.hpp>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <evencube/cluster.hpp>

#include "calls.hpp"
#include "checked_mutex.hpp"
#include "group_table.hpp"
#include "job_pool.hpp"
#include "mail.hpp"
#include "out_tray.hpp"
#include "rank_core.hpp"
#include "task_measures.hpp"
#include "task_types.hpp"

namespace evencube::detail {

/// The bytes of a message besides an argument or a result.
inline constexpr std::size_t framing = 128;
/// Stands in place of the number of a round: an answer to a thief.
inline constexpr std::uint32_t stolen = std::numeric_limits<std::uint32_t>::max();

/// What the runners of a rank do: tasks of the runtime that run the tasks of the rank, never more
/// than there are workers.
struct runner_crew {
  unsigned now = 0;
  unsigned running = 0;  // of these, in a task
  bool paused = false;   // none takes another task
  bool stopped = false;  // the runtime is stopped, and nothing runs any more
  bool closed = false;   // the rank leaves
  /// An error outside of tasks, such as one of an allocation. It ends the rank.
  std::exception_ptr broke = nullptr;
};

/// Lets a worker look for messages between two tasks, if none has done so for a while (T).
class worker_looks {
 public:
  using clock = std::chrono::steady_clock;

  explicit worker_looks(std::function<void()> look) : look_(std::move(look)) {}

  /// Workers look from now on. Called before any work is here.
  void allow() noexcept { allowed_ = true; }
  [[nodiscard]] bool are_due() const noexcept {
    if (!allowed_) return false;
    const clock::time_point looked(clock::duration(looked_.load(std::memory_order_relaxed)));
    return clock::now() - looked >= between_looks;
  }
  void look() const { look_(); }
  /// Called by the worker that has got the turn to look.
  void begin() noexcept {
    looked_.store(clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }

 private:
  static constexpr std::chrono::microseconds between_looks{100};

  const std::function<void()> look_;
  bool allowed_ = false;
  std::atomic<clock::rep> looked_{0};
};

/// The tasks of a rank: spawned, run, sent to other ranks, and their results. See the path of a
/// task in cluster/docs/ranks.md.
class rank_work {
 public:
  /// `whole` is what the tasks' contexts refer to. `look` is called by a worker between two tasks,
  /// if that is due (T).
  rank_work(rank_core& core, mail& post, collective_calls& calls, cluster_engine& whole,
            std::function<void()> look);
  rank_work(const rank_work&) = delete;
  rank_work& operator=(const rank_work&) = delete;
  ~rank_work() = default;

  // -- By the program's threads and by tasks -----------------------------------------------------

  std::uint32_t add_task(cluster_task_type type);
  /// Returns true for the first group, from which on no task is registered.
  [[nodiscard]] bool seal();
  void spawn(std::uint32_t group, std::uint32_t task, std::unique_ptr<cluster_call> call,
             const cluster_spawn_options& options, bool by_task);
  /// Nothing begins here any more: the rank leaves.
  void close();
  /// Waits for the runners, after `close`.
  void join() noexcept;
  [[nodiscard]] const task_types& types() const noexcept { return types_; }

  // -- With the shared data
  // ------------------------------------------------------------------------

  [[nodiscard]] group_table& groups() EVENCUBE_REQUIRES(shared_data) { return groups_; }
  [[nodiscard]] const job_pool& pool() const EVENCUBE_REQUIRES(shared_data) { return pool_; }
  [[nodiscard]] const runner_crew& crew() const EVENCUBE_REQUIRES(shared_data) { return crew_; }
  [[nodiscard]] task_measures& measures() EVENCUBE_REQUIRES(shared_data) { return measures_; }
  /// The time that the waiting tasks would take one worker, by a guess.
  [[nodiscard]] double seconds_waiting() const EVENCUBE_REQUIRES(shared_data) {
    return measures_.seconds_of(pool_.quanta());
  }
  /// True if the results of a group that are here must not wait for others, because nothing else of
  /// the group is here, or because workers may soon need the tasks that takers spawn.
  [[nodiscard]] bool ends_wait(const group_state& group) const EVENCUBE_REQUIRES(shared_data);
  void begin_runners() EVENCUBE_REQUIRES(shared_data);
  /// Returns the tasks that have not begun, and puts others in their place (Q).
  [[nodiscard]] job_pool exchange_pool(job_pool with) EVENCUBE_REQUIRES(shared_data) {
    return std::exchange(pool_, std::move(with));
  }
  void add_to_pool(job_pool later) EVENCUBE_REQUIRES(shared_data) {
    pool_.append(std::move(later));
  }
  /// With `paused`, no task begins until the next call (H).
  void pause(bool paused) EVENCUBE_REQUIRES(shared_data);
  /// A stop of the runtime sends no notification, so it is looked for (E).
  void look_for_stop() EVENCUBE_REQUIRES(shared_data);
  /// What other threads wait for may have changed: ranks have left, or this one has broken.
  void notify_all() EVENCUBE_REQUIRES(shared_data);

  // -- With the turn
  // -------------------------------------------------------------------------------

  [[nodiscard]] worker_looks& looks() noexcept { return looks_; }
  /// Posts what waits. Returns true if there was anything.
  bool flush() EVENCUBE_REQUIRES(the_turn);
  /// Posts the results that wait for a rank to which a message goes anyway.
  void let_results_ride() EVENCUBE_REQUIRES(the_turn);
  void handle_tasks(byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  void handle_results(byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  void handle_receipt(unsigned from, byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  void handle_taken(unsigned from, byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  void handle_failure(byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  /// Sends the oldest tasks, up to this number of quanta, to a rank: in a phase of a round, or
  /// `stolen`. Returns their number. Sends a message without tasks in a phase only.
  std::uint64_t send_jobs(unsigned to, load_type quanta, std::uint32_t round, unsigned phase)
      EVENCUBE_REQUIRES(the_turn);

 private:
  using clock = std::chrono::steady_clock;

  void wait_for_room(unsigned to);
  void run_jobs();
  void run_job(job& one, result_reducer* reducer);
  void fail(std::uint32_t number, group_state& group, const task_failure& told)
      EVENCUBE_REQUIRES(shared_data);
  /// Gives a result that is here, or that came as `bytes`, or a failure, to the call's future.
  void fulfil(std::unique_ptr<cluster_call> call, message_bytes bytes, bool came,
              const std::optional<task_failure>& failure) EVENCUBE_REQUIRES(shared_data);
  [[nodiscard]] bool results_are_due() const EVENCUBE_REQUIRES(shared_data);
  void send_results(unsigned to, std::vector<outgoing_result> results) EVENCUBE_REQUIRES(the_turn);
  void send_tasks(unsigned to, std::vector<job> jobs, std::uint32_t round, unsigned phase,
                  bool last) EVENCUBE_REQUIRES(the_turn);

  rank_core& core_;
  mail& mail_;
  collective_calls& calls_;
  cluster_engine& whole_;
  worker_looks looks_;
  task_types types_;  // added to with the shared data
  group_table groups_ EVENCUBE_GUARDED_BY(shared_data);
  task_measures measures_ EVENCUBE_GUARDED_BY(shared_data);
  job_pool pool_ EVENCUBE_GUARDED_BY(shared_data);
  out_tray tray_ EVENCUBE_GUARDED_BY(shared_data);
  runner_crew crew_ EVENCUBE_GUARDED_BY(shared_data);
  task_group runners_;
};

}  // namespace evencube::detail
