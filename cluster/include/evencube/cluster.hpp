#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <evencube/balancers/choice.hpp>
#include <evencube/balancers/plan.hpp>
#include <evencube/balancing.hpp>
#include <evencube/cluster/detail/call.hpp>
#include <evencube/cluster/detail/reducer.hpp>
#include <evencube/cluster/detail/spawner.hpp>
#include <evencube/cluster/future.hpp>
#include <evencube/cluster/remote_error.hpp>
#include <evencube/cluster/transport.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace detail {

/// Makes a transport over a communicator; <evencube/cluster/mpi.hpp> specialises it for MPI.
template <typename Communicator>
struct communicator {};

/// Makes a transport over the communicator whose Fortran handle is `ranks`.
[[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<transport> make_mpi_transport(int ranks);

/// Returns true if this rank has a group that has not been waited for.
[[nodiscard]] EVENCUBE_EXPORT bool has_open_group(cluster_engine& of);
/// Returns the maximum size, in bytes, of an argument sent to another rank.
[[nodiscard]] EVENCUBE_EXPORT std::size_t longest_argument(const cluster_engine& of) noexcept;

}  // namespace detail

/// How tasks get to ranks without work while no rank is held.
enum class cluster_sharing {
  /// Along the edges of the cube of ranks. A rank without work asks its neighbours, one after
  /// another. A neighbour hands over half of its tasks, immediately or as soon as it has some.
  /// While nothing changes, ranks without work send hardly any messages.
  lifelines,
  /// In rounds that the balancer plans and in which all ranks take part.
  rounds
};
[[nodiscard]] constexpr std::string_view to_string(cluster_sharing how) noexcept {
  return how == cluster_sharing::rounds ? "rounds" : "lifelines";
}

/// The options of a cluster.
struct cluster_options {
  /// The balancer, which plans for the cube of ranks: a type with options, such as
  /// `balancers::oem{}` (<evencube/balancers/options.hpp>), or the name of a registered balancer.
  /// With `balancers::none`, tasks stay on the rank where they were spawned or sent. With
  /// `balancers::random_stealing`, which is meant for comparison, a rank without work asks randomly
  /// drawn ranks for tasks.
  balancer_choice balancer = "oem";
  /// How tasks get to ranks without work. With `lifelines`, the balancer plans only for
  /// `cluster_hold` and objects. This option has no effect with `balancers::none` and
  /// `balancers::random_stealing`.
  cluster_sharing sharing = cluster_sharing::lifelines;
  /// The options of a balancer that is given by name. Must be empty if `balancer` is a type with
  /// options.
  evencube::balancer_options balancer_options = {};
  /// The order in which a plan's transfers take place: a value of the enumeration
  /// `evencube::transmission`, or its name. Each transfer is a message.
  transmission_choice transmission = "direct";
  /// The latency of a message in seconds; >= 0. Together with `bytes_per_second`, it determines a
  /// task's travel time, for its argument and its result. A task that would travel longer than it
  /// runs stays on its rank. Each rank estimates both times from tasks of the same name that ran
  /// there, and from results that arrived there.
  double message_seconds = 20e-6;
  /// The number of bytes that a rank sends per second; > 0.
  double bytes_per_second = 1e9;
  /// The length of a quantum in seconds, >= 0 and finite, for tasks that are spawned without a
  /// cost. Such a task counts for the mean time, in quanta, of tasks with the same name on the
  /// spawning rank, or for one quantum if none has run there yet. With 0, it always counts for one
  /// quantum.
  double quantum_seconds = 0;
  /// The time in seconds, >= 0 and finite, for which a result may wait on the rank where its task
  /// ran, so that several results travel in one message. Waiting results leave earlier with another
  /// message to the same rank, when their own rank has no other work, or when they reach a
  /// megabyte.
  double result_seconds = 0.1;
  /// The limit, at least 1, on the bytes of tasks spawned with `cluster_spawn_options::rank` that
  /// are on their way from this rank to any one other rank. Each task counts for its argument plus
  /// 128 bytes. At the limit, spawns to that rank wait until it has accepted tasks; a stopped rank
  /// accepts none.
  std::uint64_t window_bytes = std::uint64_t{16} << 20;
  /// The options of each rank's runtime. Its workers take the rank's tasks from one list, newest
  /// first. The runtime's own balancer moves only forks made within cluster tasks.
  runtime_options local = {};
};

/// The options of one spawn.
struct cluster_spawn_options {
  /// The number of quanta for which the task counts, in [1, 65536]. If empty,
  /// `cluster_options::quantum_seconds` determines it.
  std::optional<std::uint32_t> cost = std::nullopt;
  /// The rank to which the task is sent. If empty, the task is queued on the spawning rank. In both
  /// cases, balancing may move the task unless `stays` is true.
  std::optional<unsigned> rank = std::nullopt;
  /// If true, balancing does not move the task from the rank to which the spawn sends it. Use this
  /// for tasks that need that rank's data. The balancer still counts the task in the rank's load.
  bool stays = false;
};

/// The counters of a rank since the cluster was made.
struct cluster_statistics {
  /// The number of tasks that ran on this rank.
  std::uint64_t executed = 0;
  /// The number of tasks that this rank sent to other ranks, by balancing or by
  /// `cluster_spawn_options::rank`.
  std::uint64_t tasks_sent = 0;
  /// The number of tasks that this rank received from other ranks.
  std::uint64_t tasks_received = 0;
  /// The number of messages that this rank sent.
  std::uint64_t messages_sent = 0;
  /// The number of bytes in all messages that this rank sent.
  std::uint64_t bytes_sent = 0;
  /// The number of messages that begin with tasks, or with a receipt for tasks. This counter and
  /// the next three classify messages by their first part: tasks, results, balancing (or the
  /// refusal of a steal request), and detection that a group has ended. Other messages belong to
  /// collective calls.
  std::uint64_t task_messages = 0;
  std::uint64_t result_messages = 0;
  std::uint64_t balancing_messages = 0;
  std::uint64_t termination_messages = 0;
  /// The number of balancing rounds that have ended.
  std::uint64_t rounds = 0;
  /// The number of tasks that balancing would have moved, but that stayed because they would have
  /// travelled longer than they run.
  std::uint64_t tasks_too_large_to_move = 0;
};

/// A handle to a registered task, made by `cluster::task`. The handle can be copied freely and is
/// valid while the cluster lives.
template <typename Argument, typename Result>
class cluster_task {
 public:
  /// Makes a handle without a task; spawning it throws evencube::error.
  cluster_task() = default;
  /// Called by `cluster::task`.
  cluster_task(detail::task_handle handle,
               std::shared_ptr<const detail::cluster_function<Argument, Result>> function) noexcept
      : handle_(handle), function_(std::move(function)) {}

 private:
  friend class detail::spawner;

  detail::task_handle handle_;
  std::shared_ptr<const detail::cluster_function<Argument, Result>> function_;
};

/// A running task's access to its cluster.
class cluster_context {
 public:
  cluster_context(detail::cluster_engine& of, std::uint32_t group) noexcept
      : spawner_(of, group, true) {}
  cluster_context(const cluster_context&) = delete;
  cluster_context& operator=(const cluster_context&) = delete;

  /// Returns the rank on which the task runs.
  [[nodiscard]] EVENCUBE_EXPORT unsigned rank() const noexcept;
  /// Returns the number of ranks.
  [[nodiscard]] EVENCUBE_EXPORT unsigned size() const noexcept;

  /// Spawns a task into the running task's group. The wait on the spawning rank receives the
  /// result. Any thread may call this until the running task ends. Waits and throws as
  /// `cluster_group::spawn` does.
  template <typename Argument, typename Result>
  void spawn(const cluster_task<Argument, Result>& task, std::type_identity_t<Argument> argument,
             const cluster_spawn_options& options = {}) {
    spawner_.spawn(task, std::move(argument), options);
  }

 private:
  const detail::spawner spawner_;
};

/// One cube across processes. Each rank (a process of an MPI program) is a subcube with its own
/// runtime, and balancing moves tasks between ranks. See docs/cluster.md.
///
/// All ranks must call *collective* members in the same order, outside of tasks. Such a call
/// returns when all ranks have made it. If a rank destroys its cluster instead, the waiting ranks
/// throw evencube::error. All ranks throw evencube::error with the reason if a rank cannot continue
/// (no memory is left or a balancer throws), or if ranks make different calls. Over MPI the whole
/// job then ends with an error, as it does if a process exits while its cluster lives.
class cluster {
 public:
  /// Makes a cluster over MPI. Collective. Initialises MPI unless the program has already done so.
  /// Ranks are numbered node by node, so that the low dimensions of the cube join ranks of one
  /// node. With launchers that place processes in turn on all nodes, these are other numbers than
  /// those of MPI_COMM_WORLD; the next constructor keeps the numbers of its communicator.
  /// A program that initialises MPI must use at least MPI_THREAD_SERIALIZED, and no other thread
  /// may be in an MPI call while the cluster lives. Without `mpirun` there is one rank. Throws
  /// std::invalid_argument, whose message names the wrong option.
  EVENCUBE_EXPORT cluster(int& argc, char**& argv, cluster_options options = {});
  /// Makes a cluster over the ranks of an MPI communicator, if <evencube/cluster/mpi.hpp> is
  /// included. Collective over these ranks. The program must have initialised MPI, under the
  /// conditions of the first constructor. With MPI_THREAD_MULTIPLE, several clusters may live
  /// simultaneously, and the program may call MPI while they do. A cluster uses its own copy of the
  /// communicator. Throws evencube::error for MPI_COMM_NULL, and if MPI is not initialised.
  template <typename Communicator>
    requires requires(Communicator ranks) {
      detail::communicator<Communicator>::transport_over(ranks);
    }
  explicit cluster(Communicator ranks, cluster_options options = {})
      : cluster(detail::communicator<Communicator>::transport_over(ranks), std::move(options)) {}
  /// Makes a cluster over another transport. Collective.
  EVENCUBE_EXPORT explicit cluster(std::unique_ptr<transport> over, cluster_options options = {});
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;
  /// Ends the cluster, and drops tasks of groups that have not been waited for. Collective.
  EVENCUBE_EXPORT ~cluster();

  /// Returns this rank, in [0, size()).
  [[nodiscard]] EVENCUBE_EXPORT unsigned rank() const noexcept;
  /// Returns the number of ranks.
  [[nodiscard]] EVENCUBE_EXPORT unsigned size() const noexcept;
  /// Returns the runtime of this rank. After the program has stopped it, no group can be waited
  /// for.
  [[nodiscard]] EVENCUBE_EXPORT evencube::runtime& runtime() noexcept;
  /// Returns the counters of this rank since the cluster was made.
  [[nodiscard]] EVENCUBE_EXPORT cluster_statistics stats() const;

  /// Returns the `own` values of all ranks, in the order of ranks. Collective. Values travel like
  /// task arguments, up the spanning tree of the cube of ranks and down again, in 2 * (ranks - 1)
  /// messages. Throws evencube::error within a task. Throws std::length_error on all ranks if the
  /// values take more bytes than a message can hold (2^31 - 1 over MPI). Each value takes an
  /// additional 12 bytes, and the message an additional 22.
  template <typename T>
  [[nodiscard]] std::vector<T> gather(const T& own) {
    detail::byte_writer out;
    detail::write_value(out, own);
    std::vector<T> all;
    for (const detail::message_bytes& one : gather_bytes(out.take(), detail::shown_type<T>())) {
      detail::byte_reader in(one);
      all.push_back(detail::read_value<T>(in));
    }
    return all;
  }

  /// Registers a task: `task<argument, result>("name", f)`. f takes a `const argument&`, or a
  /// `cluster_context&` and a `const argument&`. f returns a result, or nothing if `result` is
  /// void. Several threads may call f simultaneously. All ranks must register the same tasks in the
  /// same order before the first group; its constructor checks this. Pass several arguments as a
  /// struct or a std::tuple. The argument type and the result type need a default constructor.
  /// Values travel byte by byte if their type is trivially copyable and has no members for cereal
  /// (`serialize`, `save`); otherwise, cereal serialises them.
  /// Throws std::invalid_argument if the name is empty or already in use, and evencube::error once
  /// the first group has been made.
  template <typename Argument, typename Result, typename F>
  cluster_task<Argument, Result> task(std::string name, F f) {
    return saved_task<Argument, Result>(std::move(name), std::move(f), {});
  }
  /// Called by `task`, `cluster_objects` and `cluster_bound`.
  template <typename Argument, typename Result, typename F>
  cluster_task<Argument, Result> saved_task(std::string name, F f, detail::task_saving saving) {
    auto function = std::make_shared<const detail::cluster_function<Argument, Result>>(
        [f = std::move(f)]([[maybe_unused]] cluster_context& here,
                           const Argument& argument) -> Result {
          if constexpr (std::is_invocable_v<const F&, cluster_context&, const Argument&>) {
            return f(here, argument);
          } else {
            return f(argument);
          }
        });
    const detail::task_handle handle = add_task(
        {std::move(name), detail::shown_type<Argument>() + " -> " + detail::shown_type<Result>(),
         [function](detail::byte_reader& in) -> std::unique_ptr<detail::cluster_call> {
           return std::make_unique<detail::typed_call<Argument, Result>>(
               function, detail::read_value<Argument>(in));
         },
         typeid(Argument), typeid(detail::kept_result<Result>), std::move(saving)});
    return {handle, std::move(function)};
  }

  /// Returns the engine of this rank, which `cluster_group` and `cluster_hold` use.
  [[nodiscard]] detail::cluster_engine& engine() noexcept { return *engine_; }

 private:
  EVENCUBE_EXPORT detail::task_handle add_task(detail::cluster_task_type type);
  EVENCUBE_EXPORT std::vector<detail::message_bytes> gather_bytes(detail::message_bytes own,
                                                                  const std::string& type);

  std::unique_ptr<detail::cluster_engine> engine_;
};

/// A group of tasks for which all ranks wait together. All ranks must make their groups in the same
/// order, and each rank must wait once for each group.
class cluster_group {
 public:
  /// Makes a group of the cluster `of`. Collective for the first group: its constructor compares
  /// the registered tasks and, if they differ, throws evencube::error, whose message names the
  /// difference.
  EVENCUBE_EXPORT explicit cluster_group(cluster& of);
  /// Called by `cluster_reduction`.
  EVENCUBE_EXPORT cluster_group(cluster& of, std::shared_ptr<detail::result_reducer> reducer);
  cluster_group(const cluster_group&) = delete;
  cluster_group& operator=(const cluster_group&) = delete;
  /// If the group has not been waited for, for example because an exception left its scope, all
  /// further collective calls of this rank throw evencube::error. The waits of other ranks throw
  /// evencube::error when this rank destroys its cluster.
  EVENCUBE_EXPORT ~cluster_group();

  /// Spawns a task, which begins on this rank unless balancing moves it or `options.rank` names
  /// another rank. Any thread outside of tasks may spawn until `wait` is called; afterwards, only
  /// the takers passed to `wait` may. The call waits while more bytes are on their way to the named
  /// rank than `cluster_options::window_bytes` allows. Throws std::invalid_argument for an
  /// out-of-range cost or rank. Throws std::length_error for an argument that must go to another
  /// rank and takes more bytes than a message can hold. Throws evencube::error after the wait, for
  /// a task of another cluster, or if the runtime of this rank has been stopped.
  template <typename Argument, typename Result>
  void spawn(const cluster_task<Argument, Result>& task, std::type_identity_t<Argument> argument,
             const cluster_spawn_options& options = {}) {
    spawner_.spawn(task, std::move(argument), options);
  }

  /// Spawns a task as `spawn` does, and returns a future for its result, which no taker receives.
  template <typename Argument, typename Result>
  cluster_future<Result> call(const cluster_task<Argument, Result>& task,
                              std::type_identity_t<Argument> argument,
                              const cluster_spawn_options& options = {}) {
    return {spawner_.engine(), spawner_.call(task, std::move(argument), options)};
  }

  /// Waits until every task of the group, spawned on any rank, has ended. Collective. The argument
  /// and result of each task spawned on this rank are passed to the first of `takers` for their
  /// types, or dropped if there is none. A taker is a function such as
  /// `[&](const argument&, result&&)`, or `[&](const argument&)` for tasks without a result. The
  /// calling thread calls takers one at a time while other tasks run; takers may spawn into the
  /// group.
  /// If tasks threw, each rank throws the remote_error of one of them when all other tasks have
  /// ended. After a taker has thrown, no further taker is called, and this rank throws the taker's
  /// exception.
  /// Throws evencube::error within a task, on a second call, if no registered task has the types of
  /// a taker, and if the runtime of this rank is stopped before all tasks have ended. Other waiting
  /// ranks throw evencube::error when this rank destroys its cluster.
  template <typename... Takers>
  void wait(Takers&&... takers) {
    const std::vector<detail::result_taker> all{detail::make_taker(takers)...};
    wait_with(all);
  }

 private:
  EVENCUBE_EXPORT void wait_with(std::span<const detail::result_taker> takers);

  detail::spawner spawner_;
  bool waited_ = false;
};

/// A group whose results are combined into one value. Results of type T do not travel to the rank
/// that spawned their tasks. Instead, each rank combines the results of the tasks that ran there,
/// and the wait combines the ranks' values.
///
///     cluster_reduction total(world, 0L);
///     if (world.rank() == 0) total.spawn(count, whole);
///     const long found = total.wait();  // on every rank
template <typename T, typename Combine = std::plus<>>
class cluster_reduction {
 public:
  /// Makes a group of the cluster `of`, as `cluster_group` does. `combine(T, T)` returns a T and
  /// must be associative and commutative. Combining any value with `identity` must give that value.
  /// Several ranks call `combine` simultaneously, each from one thread at a time. If `combine`
  /// throws, the exception counts as thrown by the task that returned the value. If that task ran
  /// on a rank before the rank had made the group, the spawning rank's wait throws the exception.
  explicit cluster_reduction(cluster& of, T identity, Combine combine = {})
      : cluster_(of),
        identity_(identity),
        reducer_(std::make_shared<detail::combining_reducer<T, Combine>>(std::move(identity),
                                                                         std::move(combine))),
        group_(of, reducer_) {}
  cluster_reduction(const cluster_reduction&) = delete;
  cluster_reduction& operator=(const cluster_reduction&) = delete;
  /// Like the destructor of `cluster_group`. `combine` is not called afterwards.
  ~cluster_reduction() { reducer_->close(); }

  /// Spawns a task, as `cluster_group::spawn` does.
  template <typename Argument, typename Result>
  void spawn(const cluster_task<Argument, Result>& task, std::type_identity_t<Argument> argument,
             const cluster_spawn_options& options = {}) {
    group_.spawn(task, std::move(argument), options);
  }

  /// Waits until every task of the group, spawned on any rank, has ended. Returns the combination
  /// of all results of type T on every rank. The ranks' values go up the spanning tree of the cube
  /// of ranks and down again, as in `cluster::gather`, and are combined in the order of the ranks.
  /// Results of other types go to `takers`. Collective. Throws the exceptions of
  /// `cluster_group::wait` and `cluster::gather`.
  template <typename... Takers>
  [[nodiscard]] T wait(Takers&&... takers) {
    std::exception_ptr thrown;
    try {
      group_.wait(takers...);
    } catch (...) {
      thrown = std::current_exception();
    }
    // Also after a taker's exception, because ranks without an exception gather as well.
    if (std::exchange(gathered_, true)) std::rethrow_exception(thrown);
    T all = identity_;
    try {
      for (T& part : cluster_.gather(reducer_->value())) {
        all = reducer_->combine(std::move(all), std::move(part));
      }
    } catch (...) {
      if (thrown == nullptr) throw;
    }
    if (thrown != nullptr) std::rethrow_exception(thrown);
    return all;
  }

 private:
  cluster& cluster_;
  const T identity_;
  const std::shared_ptr<detail::combining_reducer<T, Combine>> reducer_;
  cluster_group group_;
  bool gathered_ = false;
};

/// Holds a cluster while this object lives: no task begins, runs or travels on any rank, so loads
/// can be read and balanced exactly.
class cluster_hold {
 public:
  /// Waits for running tasks to end, then holds the cluster. Collective. Throws evencube::error if
  /// the runtime of this rank has been stopped.
  EVENCUBE_EXPORT explicit cluster_hold(cluster& of);
  cluster_hold(const cluster_hold&) = delete;
  cluster_hold& operator=(const cluster_hold&) = delete;
  /// Releases the cluster. Collective.
  EVENCUBE_EXPORT ~cluster_hold();

  /// Returns, for each rank, the quanta of all tasks that have not begun. Collective.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads();
  /// Plans and carries out one round. Returns the balancer's input and plan, which are equal on all
  /// ranks. Collective. If all tasks count for one quantum, the ranks afterwards have exactly the
  /// planned loads. A task of a higher cost moves only if it fits into a transfer. A task that
  /// would travel longer than it runs stays. Throws evencube::error if the balancer is
  /// "random_stealing".
  EVENCUBE_EXPORT balancing_round balance();

  /// Saves, at `path`, everything that the cluster needs to continue: the tasks of all open groups
  /// that have not begun, results that no taker has received, values that reductions have combined,
  /// objects, and bounds. `path` is a file that all ranks can read; next to it each rank writes a
  /// file whose name ends in two more numbers. Collective. The previous checkpoint at `path` is
  /// replaced in one step, once all files have been written: if a process is killed earlier, the
  /// previous checkpoint remains intact. A failure of the machine may damage it, because the files
  /// are not flushed to the disk.
  /// Throws evencube::error on all ranks, and keeps the previous checkpoint, if a task of an open
  /// group has failed, if a thread waits for an open group, because its takers may have received
  /// results that the checkpoint would not have, if a file or a value cannot be written, or if the
  /// checkpoint at `path` was saved by a program with other tasks.
  EVENCUBE_EXPORT void save(const std::string& path);
  /// Continues from the checkpoint at `path`, on any number of ranks. Collective. Returns false if
  /// no file is there. All ranks must have made the groups that were open, in the same order; the
  /// groups and objects must be empty. The tasks of rank r are spawned again, and its results
  /// arrive, on rank r modulo size(); they begin after this hold.
  /// Throws evencube::error on all ranks, and loads nothing, if the registered tasks or the number
  /// or the kinds of open groups differ from those of the checkpoint, if a group has tasks or there
  /// are objects, if a file cannot be read or has changed, or if a task was spawned with `stays` on
  /// a rank and the number of ranks differs. Tasks of objects go where their objects live.
  EVENCUBE_EXPORT bool load(const std::string& path);

 private:
  detail::cluster_engine& engine_;
};

}  // namespace evencube
