#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancing.hpp>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <evencube/cluster.hpp>

#include "checked_mutex.hpp"
#include "departure.hpp"
#include "gathering.hpp"
#include "held_results.hpp"
#include "job_pool.hpp"
#include "outbox.hpp"
#include "send_window.hpp"
#include "termination.hpp"
#include "thief.hpp"
#include "tree_gathering.hpp"
#include "wire.hpp"

namespace evencube::detail {

/// The text that tells other ranks of an exception of a task.
struct task_failure {
  std::string task;
  std::uint32_t rank = 0;
  std::string text;

  void write(byte_writer& out) const;
  static task_failure read(byte_reader& in);
};

/// Updates a mean in which the latest values count most; 0 means that there was none yet.
inline void take_into(double& mean, double value) {
  mean = mean == 0 ? value : mean + (value - mean) / 8;
}

/// One rank. The thread that has the turn (the progress thread, or a worker between two tasks)
/// calls the transport and the pure parts (termination, gatherings, rounds). Workers and threads of
/// the program share with it the data under one mutex. See cluster/docs/ranks.md.
class cluster_engine {
 public:
  cluster_engine(std::unique_ptr<transport> over, cluster_options options);
  cluster_engine(const cluster_engine&) = delete;
  cluster_engine& operator=(const cluster_engine&) = delete;
  ~cluster_engine();

  // -- By the program's threads and by tasks -----------------------------------------------------

  [[nodiscard]] unsigned rank() const noexcept { return rank_; }
  [[nodiscard]] unsigned size() const noexcept { return size_; }
  [[nodiscard]] evencube::runtime& runtime() noexcept { return runtime_; }
  [[nodiscard]] cluster_statistics stats();

  std::uint32_t add_task(cluster_task_type type);
  [[nodiscard]] std::uint32_t make_group();
  void spawn(std::uint32_t group, std::uint32_t task, std::unique_ptr<cluster_call> call,
             const cluster_spawn_options& options, bool by_task);
  void wait(std::uint32_t group, std::span<const result_taker> takers);
  /// The end of a group on this rank without a wait.
  void leave_group(std::uint32_t group);

  /// Returns what every rank gives to the same call. For ranks that give nothing, this is what
  /// their progress threads count (H). Throws evencube::error if a rank has left instead.
  /// `name` says which call it is.
  [[nodiscard]] std::vector<message_bytes> gather(std::optional<message_bytes> own,
                                                  std::string name);
  void hold();
  void release();
  [[nodiscard]] std::vector<load_type> held_loads();
  [[nodiscard]] balancing_round held_round();

 private:
  using clock = std::chrono::steady_clock;
  /// Ranks are never further apart than that, because each call needs all of them.
  static constexpr std::size_t most_names = 16;
  /// The time after which a rank tells others what it would tell them in vain if all is well.
  static constexpr std::chrono::milliseconds first_word{100};

  struct finished {
    std::unique_ptr<cluster_call> call;
    message_bytes result;  // as it came, unless the call has it
    bool came = false;
  };
  /// The mean times of tasks of a type, in which the latest ones count most; 0 if there are none
  /// yet.
  struct measured {
    double quantum_seconds = 0;  // of tasks that came with a cost
    double task_seconds = 0;
    double result_bytes = 0;  // of results that came home from other ranks, or went there
  };
  /// A task that left its home.
  struct away_job {
    std::uint32_t task;
    std::unique_ptr<cluster_call> call;
  };
  /// A group on this rank. All members are under the mutex.
  struct group_state {
    clock::time_point began = clock::now();
    bool waiting = false;
    std::uint64_t call = 0;  // of the wait
    bool over = false;
    std::thread::id waiter;
    /// The tasks here that have not ended, and the ended ones whose results were not taken (P).
    std::uint64_t open = 0;
    work_on_its_way counted;  // tasks and results sent, less those received (C)
    std::map<std::uint64_t, away_job> away;
    std::deque<finished> done;
    bool told_failure = false;
    std::optional<task_failure> failure;
    std::condition_variable changed;
  };
  struct outgoing_task {
    std::uint32_t to;
    job what;
  };
  /// One transfer of the round under way in which this rank takes part.
  struct part {
    unsigned phase;
    unsigned other;
    load_type quanta;
  };

  // cluster_engine.cpp: the progress thread, and turns of workers
  void progress();
  bool take_turn() EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] bool look_is_due() const noexcept;
  void look_between_tasks();
  void end_turns(std::exception_ptr why) noexcept EVENCUBE_REQUIRES(turn_);
  void tell_failure(const std::exception_ptr& why) noexcept EVENCUBE_REQUIRES(turn_);
  void look_for_stop() EVENCUBE_REQUIRES(mutex_);
  void take_longer_naps() EVENCUBE_REQUIRES(turn_);
  bool handle_messages() EVENCUBE_REQUIRES(turn_);
  void handle(unsigned from, byte_reader in) EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] bool results_are_due() const EVENCUBE_REQUIRES(mutex_);
  bool flush() EVENCUBE_REQUIRES(turn_);
  void post(unsigned to, byte_writer& message) EVENCUBE_REQUIRES(turn_);
  void send_outbox() EVENCUBE_REQUIRES(turn_);
  void tell_progress() noexcept EVENCUBE_REQUIRES(mutex_);
  void check_options() const;
  void leave();
  [[nodiscard]] bool advance_leaving() EVENCUBE_REQUIRES(turn_);
  void handle_leave(byte_reader& in) EVENCUBE_REQUIRES(turn_);
  void send_leaves(const std::vector<departure::outgoing>& what) EVENCUBE_REQUIRES(turn_);

  // groups.cpp
  bool advance_groups() EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] bool is_passive(const group_state& group) const EVENCUBE_REQUIRES(mutex_);
  void count_with_messages() EVENCUBE_REQUIRES(turn_);
  using said_of_counts = void (termination::*)(const work_on_its_way&,
                                               std::vector<termination::outgoing>&);
  bool say_what_is_counted(said_of_counts say) EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] bool is_over(std::uint32_t group);
  void handle_termination(unsigned from, byte_reader& in, bool over) EVENCUBE_REQUIRES(turn_);
  void send_termination(std::uint32_t group, const std::vector<termination::outgoing>& what)
      EVENCUBE_REQUIRES(turn_);
  void end_group(std::uint32_t group) EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] bool ends_wait(const group_state& group) const EVENCUBE_REQUIRES(mutex_);
  [[nodiscard]] bool cannot_end(std::uint64_t call) const EVENCUBE_REQUIRES(mutex_);
  [[noreturn]] void throw_why(std::uint64_t call, const char* what) EVENCUBE_REQUIRES(mutex_);
  [[noreturn]] void give_up(std::uint64_t call, const char* what) EVENCUBE_REQUIRES(mutex_);
  std::uint64_t begin_call(std::string name) EVENCUBE_REQUIRES(mutex_);
  void compare_calls(std::uint64_t call, unsigned from, const std::string& there)
      EVENCUBE_REQUIRES(mutex_);
  void hear_of_call(unsigned from, byte_reader& in) EVENCUBE_REQUIRES(turn_);
  void post_call(unsigned to, std::uint64_t call) EVENCUBE_REQUIRES(turn_);
  void throw_mismatch() const EVENCUBE_REQUIRES(mutex_);
  void check_takers(std::span<const result_taker> takers) const EVENCUBE_REQUIRES(mutex_);
  [[nodiscard]] std::exception_ptr deliver(std::deque<finished>& done,
                                           std::span<const result_taker> takers) const;

  // jobs.cpp
  void begin_runners() EVENCUBE_REQUIRES(mutex_);
  void wait_for_room(unsigned to);
  void run_jobs();
  void run_job(job& one);
  void fail(group_state& group, const job& one, std::string text) EVENCUBE_REQUIRES(mutex_);
  void handle_tasks(unsigned from, byte_reader& in) EVENCUBE_REQUIRES(turn_);
  void handle_results(byte_reader& in) EVENCUBE_REQUIRES(turn_);
  void send_results(unsigned to, std::vector<outgoing_result> results) EVENCUBE_REQUIRES(turn_);
  std::uint64_t send_jobs(unsigned to, load_type quanta, std::uint32_t round, unsigned phase)
      EVENCUBE_REQUIRES(turn_);
  void send_tasks(unsigned to, std::vector<job> jobs, std::uint32_t round, unsigned phase,
                  bool last) EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] bool worth_its_way(const job& one, unsigned to, std::size_t batch) const
      EVENCUBE_REQUIRES(mutex_);
  [[nodiscard]] std::uint32_t cost_by_measure(std::uint32_t task) const EVENCUBE_REQUIRES(mutex_);

  // rounds.cpp
  bool advance_rounds() EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] bool program_spawns(bool since_last) EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] double seconds_waiting() const EVENCUBE_REQUIRES(mutex_);
  [[nodiscard]] double worth_a_round() const EVENCUBE_REQUIRES(mutex_, turn_);
  [[nodiscard]] bool runs_short() const EVENCUBE_REQUIRES(mutex_, turn_);
  [[nodiscard]] bool others_have_work(double worth) EVENCUBE_REQUIRES(turn_);
  void post_load() EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] gathering& loads_of(std::uint32_t round) EVENCUBE_REQUIRES(turn_);
  void handle_loads(byte_reader& in) EVENCUBE_REQUIRES(turn_);
  void send_loads(std::uint32_t round, const std::vector<gathering::outgoing>& what)
      EVENCUBE_REQUIRES(turn_);
  void plan_round(const std::vector<message_bytes>& all) EVENCUBE_REQUIRES(turn_);
  void carry_on() EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] clock::duration patience_with_rounds() const EVENCUBE_REQUIRES(turn_);
  bool share_without_round() EVENCUBE_REQUIRES(turn_);
  bool advance_stealing() EVENCUBE_REQUIRES(turn_);
  void handle_steal(unsigned from) EVENCUBE_REQUIRES(turn_);

  // collectives.cpp
  [[nodiscard]] tree_gathering& call_of(std::uint32_t number) EVENCUBE_REQUIRES(turn_);
  void contribute_to_call(std::uint32_t number, message_bytes own) EVENCUBE_REQUIRES(turn_);
  void handle_call(byte_reader& in) EVENCUBE_REQUIRES(turn_);
  void send_call(std::uint32_t number, const std::vector<tree_gathering::outgoing>& what)
      EVENCUBE_REQUIRES(turn_);
  bool name_late_call() EVENCUBE_REQUIRES(turn_);
  [[nodiscard]] message_bytes count_work() EVENCUBE_REQUIRES(turn_);
  void check_registration();

  const cluster_options options_;
  const bool steals_;
  const bool rounds_;
  const bool overlaps_;  // sends do not wait for tasks that they can do without
  const std::unique_ptr<const balancer> balancer_;  // null: no rounds
  evencube::runtime runtime_;
  std::optional<task_group> runners_;
  const std::unique_ptr<transport> transport_;
  unsigned rank_ = 0;
  unsigned size_ = 1;
  std::size_t most_bytes_ = 0;

  // -- Under the mutex ---------------------------------------------------------------------------
  checked_mutex mutex_;
  std::condition_variable changed_;       // for collective calls, and for the hold
  std::vector<cluster_task_type> types_;  // changes only before the first group
  std::vector<measured> measured_ EVENCUBE_GUARDED_BY(mutex_);  // of each type
  double quantum_seconds_ EVENCUBE_GUARDED_BY(mutex_) =
      0;  // the mean time of a quantum of any task
  double executed_lately_ EVENCUBE_GUARDED_BY(mutex_) = 0;  // in quanta
  double spawned_lately_ EVENCUBE_GUARDED_BY(mutex_) = 0;   // by these
  bool program_spawns_ EVENCUBE_GUARDED_BY(mutex_) =
      false;  // since the progress thread looked last
  bool sealed_ EVENCUBE_GUARDED_BY(mutex_) = false;
  std::exception_ptr unequal_ EVENCUBE_GUARDED_BY(mutex_);  // the error of the first group
  std::vector<double> workers_of_
      EVENCUBE_GUARDED_BY(mutex_);  // of each rank; empty: not known yet
  std::uint32_t next_group_ EVENCUBE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint32_t, group_state> groups_ EVENCUBE_GUARDED_BY(mutex_);
  job_pool pool_ EVENCUBE_GUARDED_BY(mutex_);
  unsigned runners_now_ EVENCUBE_GUARDED_BY(mutex_) = 0;
  unsigned running_ EVENCUBE_GUARDED_BY(mutex_) = 0;
  bool paused_ EVENCUBE_GUARDED_BY(mutex_) = false;
  bool stopped_ EVENCUBE_GUARDED_BY(mutex_) =
      false;  // the runtime is stopped, and nothing runs any more
  std::uint64_t next_number_ EVENCUBE_GUARDED_BY(mutex_) = 0;
  held_results results_out_ EVENCUBE_GUARDED_BY(mutex_);
  bool results_due_ EVENCUBE_GUARDED_BY(mutex_) = false;
  std::vector<outgoing_task> tasks_out_ EVENCUBE_GUARDED_BY(mutex_);
  send_window window_ EVENCUBE_GUARDED_BY(mutex_);  // of these, from their spawn on
  std::condition_variable room_;                    // in the window
  std::vector<std::pair<std::uint32_t, task_failure>> failures_out_ EVENCUBE_GUARDED_BY(mutex_);
  bool news_ EVENCUBE_GUARDED_BY(mutex_) = false;  // for the progress thread
  bool resting_ EVENCUBE_GUARDED_BY(mutex_) = false;
  std::uint64_t calls_ EVENCUBE_GUARDED_BY(mutex_) =
      0;  // collective calls that this rank has begun
  std::deque<std::string> names_of_calls_ EVENCUBE_GUARDED_BY(mutex_);  // of the last ones
  /// What another rank said of a call that this rank has not begun.
  std::map<std::uint64_t, std::pair<unsigned, std::string>> expected_calls_
      EVENCUBE_GUARDED_BY(mutex_);
  std::optional<std::string> mismatch_ EVENCUBE_GUARDED_BY(mutex_);  // ranks make different calls
  /// The number of calls before the first one that this rank gave up because its runtime is
  /// stopped, or because it left a group without a wait for it.
  std::uint64_t calls_taken_part_ EVENCUBE_GUARDED_BY(mutex_) =
      std::numeric_limits<std::uint64_t>::max();
  bool left_group_ EVENCUBE_GUARDED_BY(mutex_) = false;
  std::uint32_t gather_number_ EVENCUBE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint32_t, std::uint64_t> calls_of_gatherings_
      EVENCUBE_GUARDED_BY(mutex_);  // that this rank is in
  std::optional<std::pair<std::uint32_t, std::optional<message_bytes>>> to_gather_
      EVENCUBE_GUARDED_BY(mutex_);
  std::optional<std::vector<message_bytes>> gathered_ EVENCUBE_GUARDED_BY(mutex_);
  std::uint64_t gathered_bytes_ EVENCUBE_GUARDED_BY(mutex_) = 0;  // of a message with all of that
  std::map<unsigned, std::uint64_t> left_
      EVENCUBE_GUARDED_BY(mutex_);  // ranks, and the calls that they had begun
  bool leaving_ EVENCUBE_GUARDED_BY(mutex_) = false;
  bool leavers_matter_ EVENCUBE_GUARDED_BY(mutex_) =
      false;  // a call cannot end, which others should hear at once
  bool round_wanted_ EVENCUBE_GUARDED_BY(mutex_) = false;  // by a held round
  std::uint32_t rounds_ended_ EVENCUBE_GUARDED_BY(mutex_) = 0;
  balancing_round last_round_ EVENCUBE_GUARDED_BY(mutex_);
  std::exception_ptr broken_
      EVENCUBE_GUARDED_BY(mutex_);  // the error that ended the progress thread
  cluster_statistics stats_ EVENCUBE_GUARDED_BY(mutex_);

  // -- For the thread that has the turn -----------------------------------------------------------
  checked_mutex turn_;  // taken before mutex_
  bool turns_over_ EVENCUBE_GUARDED_BY(turn_) = false;
  bool heard_of_failure_ EVENCUBE_GUARDED_BY(turn_) =
      false;                           // of another rank, which tells all ranks
  bool workers_look_ = false;          // between tasks; written before any work is here
  std::atomic<clock::rep> looked_{0};  // when a worker did so last
  outbox outbox_ EVENCUBE_GUARDED_BY(turn_);
  std::map<std::uint32_t, termination> terminations_ EVENCUBE_GUARDED_BY(turn_);
  std::map<std::uint32_t, gathering> loads_ EVENCUBE_GUARDED_BY(turn_);  // by their rounds
  std::map<std::uint32_t, tree_gathering> calls_gathered_
      EVENCUBE_GUARDED_BY(turn_);  // by their numbers
  std::optional<std::uint32_t> own_call_
      EVENCUBE_GUARDED_BY(turn_);  // of these, which this rank is in
  clock::time_point own_call_began_ EVENCUBE_GUARDED_BY(turn_){};
  bool named_own_call_ EVENCUBE_GUARDED_BY(turn_) = false;
  std::optional<departure> departure_ EVENCUBE_GUARDED_BY(turn_);
  departure::counts sent_
      EVENCUBE_GUARDED_BY(turn_);  // messages to each rank, without those of the departure
  std::uint64_t received_ EVENCUBE_GUARDED_BY(turn_) = 0;  // such messages
  std::optional<clock::time_point> news_of_leavers_since_ EVENCUBE_GUARDED_BY(turn_);
  clock::duration news_of_leavers_wait_ EVENCUBE_GUARDED_BY(turn_) = first_word;
  std::uint32_t round_ EVENCUBE_GUARDED_BY(turn_) = 0;  // under way, or the last one
  std::uint32_t joined_ EVENCUBE_GUARDED_BY(turn_) =
      0;  // the last one that this rank was called to
  bool in_round_ EVENCUBE_GUARDED_BY(turn_) = false;
  std::vector<part> sends_ EVENCUBE_GUARDED_BY(turn_);  // of the round, in their order
  std::size_t next_send_ EVENCUBE_GUARDED_BY(turn_) = 0;
  std::vector<part> receives_ EVENCUBE_GUARDED_BY(turn_);    // that have not come yet
  load_type waiting_quanta_ EVENCUBE_GUARDED_BY(turn_) = 0;  // when the load for the round was sent
  load_type at_hand_ EVENCUBE_GUARDED_BY(turn_) =
      0;  // of what the plan counts here, as far as it has come and not gone
  std::set<std::tuple<std::uint32_t, unsigned, unsigned>> arrived_
      EVENCUBE_GUARDED_BY(turn_);  // round, phase, sender
  std::uint64_t moved_in_round_ EVENCUBE_GUARDED_BY(turn_) = 0;
  bool planned_transfers_ EVENCUBE_GUARDED_BY(turn_) = false;
  bool gathering_loads_ EVENCUBE_GUARDED_BY(turn_) = false;
  /// The ranks that had nothing to do, or soon would, when loads were gathered last, and that got
  /// nothing from that round. Before the first round, all ranks.
  std::vector<bool> hungry_ EVENCUBE_GUARDED_BY(turn_);
  std::vector<double> seconds_left_
      EVENCUBE_GUARDED_BY(turn_);  // of each rank, when that round had been planned
  clock::time_point planned_at_ EVENCUBE_GUARDED_BY(turn_){};
  std::optional<clock::time_point> hungry_since_ EVENCUBE_GUARDED_BY(turn_);
  double round_seconds_ EVENCUBE_GUARDED_BY(turn_) = 0;  // the mean time of a round
  std::optional<clock::time_point> spawns_since_ EVENCUBE_GUARDED_BY(turn_);
  clock::time_point not_before_ EVENCUBE_GUARDED_BY(turn_){};
  clock::duration pause_ EVENCUBE_GUARDED_BY(turn_){};
  clock::time_point round_began_ EVENCUBE_GUARDED_BY(turn_){};
  bool said_round_is_late_ EVENCUBE_GUARDED_BY(turn_) = false;  // the one under way
  std::optional<thief> thief_ EVENCUBE_GUARDED_BY(turn_);
  std::chrono::microseconds nap_ EVENCUBE_GUARDED_BY(turn_){0};
  clock::time_point idle_since_ EVENCUBE_GUARDED_BY(turn_){};

  std::thread progress_thread_;
};

}  // namespace evencube::detail
