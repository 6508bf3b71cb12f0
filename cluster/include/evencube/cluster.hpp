#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancing.hpp>
#include <evencube/cluster/detail/call.hpp>
#include <evencube/cluster/remote_error.hpp>
#include <evencube/cluster/transport.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

class cluster;

namespace detail {
class cluster_engine;
}

struct cluster_options {
  /// A registered balancer, which plans for the cube of ranks; "none": tasks stay on the rank where
  /// they were spawned or sent; "random_stealing": a rank without work asks others for some, drawn
  /// at random (for comparison).
  std::string balancer = "oem";
  /// Options of the balancer, as text.
  evencube::balancer_options balancer_options = {};
  /// "direct", "phased", "overlapped", "overlapped_rounds" or "pipelined": the steps in which a
  /// plan's transfers follow one another, each a message.
  std::string transmission = "direct";
  /// What it takes to send a task: seconds for each message, and bytes in a second. A task that
  /// would travel for longer, its argument there and its result back, than it takes to run, by the
  /// tasks of its name that ran on its rank and the results that came to it, stays. Both >= 0, the
  /// latter > 0.
  double message_seconds = 20e-6;
  double bytes_per_second = 1e9;
  /// What a task counts for that is spawned without a cost: as many quanta of so many seconds as
  /// tasks of its name took on the rank that spawns it, in the mean; one where none has run there
  /// yet. 0: always one. >= 0, finite.
  double quantum_seconds = 0;
  /// For so long a result may wait on the rank where its task ran while that has other work, so
  /// that many go home in one message. They go sooner when another message goes there, when the
  /// rank has run out of work, or when they are a megabyte. >= 0, finite.
  double result_seconds = 0.1;
  /// Of each rank. Its workers take the tasks of the rank, newest first, from one list; its
  /// balancer is for what tasks fork.
  runtime_options local = {};
};

/// Of one spawn.
struct cluster_spawn_options {
  /// How many quanta of work the task counts for. In [1, 65536]; if none, one, or what
  /// `cluster_options::quantum_seconds` says.
  std::optional<std::uint32_t> cost = std::nullopt;
  /// To which rank it is sent; if none, it stays here. Balancing may move it on.
  std::optional<unsigned> rank = std::nullopt;
};

/// What a rank did since the cluster was made.
struct cluster_statistics {
  /// Tasks that ran here.
  std::uint64_t executed = 0;
  /// Tasks that were sent from here to other ranks, by balancing or by `rank`, and that came.
  std::uint64_t tasks_sent = 0;
  std::uint64_t tasks_received = 0;
  /// All messages that were sent from here, and their bytes.
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  /// Of these messages, by what each begins with: those with tasks; with results; what ranks say to
  /// balance, or that a thief gets nothing; and to find out that a group is over. The rest is for
  /// collective calls.
  std::uint64_t task_messages = 0;
  std::uint64_t result_messages = 0;
  std::uint64_t balancing_messages = 0;
  std::uint64_t termination_messages = 0;
  /// Rounds of balancing that ended.
  std::uint64_t rounds = 0;
  /// Tasks that a round would have moved and that stayed, for they would have travelled for longer
  /// than they take to run.
  std::uint64_t tasks_too_large_to_move = 0;
};

/// A registered task: `cluster::task` makes it. To be copied at will; valid as long as the cluster.
template <typename Argument, typename Result>
class cluster_task {
 public:
  /// Of none; spawning that throws evencube::error.
  cluster_task() = default;

 private:
  friend class cluster;
  friend class cluster_context;
  friend class cluster_group;

  std::uint32_t number_ = 0;
  std::shared_ptr<const detail::cluster_function<Argument, Result>> function_;
};

/// What a task may ask of the cluster while it runs.
class cluster_context {
 public:
  cluster_context(detail::cluster_engine& of, std::uint32_t group) noexcept
      : engine_(of), group_(group) {}
  cluster_context(const cluster_context&) = delete;
  cluster_context& operator=(const cluster_context&) = delete;

  /// Where the task runs.
  [[nodiscard]] EVENCUBE_EXPORT unsigned rank() const noexcept;
  [[nodiscard]] EVENCUBE_EXPORT unsigned size() const noexcept;

  /// Spawns a task into the running one's group. Its result comes to the wait of the rank where it
  /// is spawned, which is this one. Throws as `cluster_group::spawn` does. Until the task ends, by
  /// any thread.
  template <typename Argument, typename Result>
  void spawn(const cluster_task<Argument, Result>& task, std::type_identity_t<Argument> argument,
             const cluster_spawn_options& options = {}) {
    spawn_call(
        task.number_, task.function_ != nullptr,
        std::make_unique<detail::typed_call<Argument, Result>>(task.function_, std::move(argument)),
        options);
  }

 private:
  EVENCUBE_EXPORT void spawn_call(std::uint32_t task, bool registered,
                                  std::unique_ptr<detail::cluster_call> call,
                                  const cluster_spawn_options& options);

  detail::cluster_engine& engine_;
  const std::uint32_t group_;
};

/// One cube across processes: each rank, a process of an MPI program, is a subcube with a runtime
/// of its own, and tasks move between ranks as the balancer plans. See docs/cluster.md.
///
/// Collective: what says so is called by all ranks, in the same order, outside of tasks; it returns
/// when all have done so, or throws evencube::error on those that wait for a rank which has
/// destroyed its cluster instead.
class cluster {
 public:
  /// Collective. Initialises MPI, unless the program has done so (then with at least
  /// MPI_THREAD_SERIALIZED, and no other thread may be in an MPI call while the cluster lives).
  /// Without `mpirun` there is one rank. Throws std::invalid_argument naming the option.
  EVENCUBE_EXPORT cluster(int& argc, char**& argv, cluster_options options = {});
  /// Collective. Over another transport.
  EVENCUBE_EXPORT explicit cluster(std::unique_ptr<transport> over, cluster_options options = {});
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;
  /// Collective. Tasks of groups that were not waited for are dropped.
  EVENCUBE_EXPORT ~cluster();

  [[nodiscard]] EVENCUBE_EXPORT unsigned rank() const noexcept;
  [[nodiscard]] EVENCUBE_EXPORT unsigned size() const noexcept;
  /// This rank's. Who stops it can wait for no group after that.
  [[nodiscard]] EVENCUBE_EXPORT evencube::runtime& runtime() noexcept;
  [[nodiscard]] EVENCUBE_EXPORT cluster_statistics stats() const;

  /// Collective. What each rank gives, in their order; T travels as arguments of tasks do. One
  /// exchange per dimension of the cube of ranks. Throws evencube::error within a task, and on all
  /// ranks std::length_error if what they give, with 12 bytes for each and 22 more, takes more
  /// bytes than a message can have: 2^31 - 1 over MPI.
  template <typename T>
  [[nodiscard]] std::vector<T> gather(const T& own) {
    detail::byte_writer out;
    detail::write_value(out, own);
    std::vector<T> all;
    for (const detail::message_bytes& one : gather_bytes(out.take())) {
      detail::byte_reader in(one);
      all.push_back(detail::read_value<T>(in));
    }
    return all;
  }

  /// Registers a task: `task<argument, result>("name", f)`, where f takes a `const argument&`, or a
  /// `cluster_context&` and that, and gives a result, or none if `result` is void. f must allow
  /// calls by several threads at once. All ranks register the same tasks in the same order before
  /// the first group is made, which looks whether they did. Several arguments go as a struct or a
  /// std::tuple. Both types need a constructor without arguments, and travel as they lie in
  /// memory if they are trivially copyable, else by cereal.
  /// Throws std::invalid_argument if the name is empty or taken, evencube::error after the first
  /// group.
  template <typename Argument, typename Result, typename F>
  cluster_task<Argument, Result> task(std::string name, F f) {
    cluster_task<Argument, Result> made;
    made.function_ = std::make_shared<const detail::cluster_function<Argument, Result>>(
        [f = std::move(f)]([[maybe_unused]] cluster_context& here,
                           const Argument& argument) -> Result {
          if constexpr (std::is_invocable_v<const F&, cluster_context&, const Argument&>) {
            return f(here, argument);
          } else {
            return f(argument);
          }
        });
    made.number_ = add_task(
        {std::move(name), std::string(typeid(Argument).name()) + " -> " + typeid(Result).name(),
         [function =
              made.function_](detail::byte_reader& in) -> std::unique_ptr<detail::cluster_call> {
           return std::make_unique<detail::typed_call<Argument, Result>>(
               function, detail::read_value<Argument>(in));
         }});
    return made;
  }

 private:
  friend class cluster_group;
  friend class cluster_hold;

  EVENCUBE_EXPORT std::uint32_t add_task(detail::cluster_task_type type);
  EVENCUBE_EXPORT std::vector<detail::message_bytes> gather_bytes(detail::message_bytes own);

  std::unique_ptr<detail::cluster_engine> engine_;
};

/// Tasks that are waited for together, by all ranks. Made by all ranks in the same order, and
/// waited for once by each.
class cluster_group {
 public:
  /// Collective, the first time; then it compares what was registered, and throws evencube::error
  /// naming what differs.
  EVENCUBE_EXPORT explicit cluster_group(cluster& of);
  cluster_group(const cluster_group&) = delete;
  cluster_group& operator=(const cluster_group&) = delete;
  /// Collective, unless the group was waited for: waits, and drops results and exceptions.
  EVENCUBE_EXPORT ~cluster_group();

  /// Spawns a task: it begins here unless balancing moves it or `options.rank` names another rank.
  /// Any thread outside of tasks until `wait` is called; and then its callbacks. Throws
  /// std::invalid_argument for a cost or a rank out of range, std::length_error for an argument
  /// that is to go to another rank and takes more bytes than a message can have, evencube::error
  /// after the wait, for a task of no cluster, or where this rank's runtime has been stopped.
  template <typename Argument, typename Result>
  void spawn(const cluster_task<Argument, Result>& task, std::type_identity_t<Argument> argument,
             const cluster_spawn_options& options = {}) {
    spawn_call(
        task.number_, task.function_ != nullptr,
        std::make_unique<detail::typed_call<Argument, Result>>(task.function_, std::move(argument)),
        options);
  }

  /// Collective. Returns when every task of the group, spawned on whatever rank, has ended. What
  /// was spawned on this rank has its argument and result given to the first of `takers` for these
  /// types, a function such as `[&](const argument&, result&&)`, or `[&](const argument&)` for
  /// tasks without a result; where none is for them they are dropped. Takers are called by the
  /// calling thread, one after the other, while other tasks run, and may spawn into the group.
  /// If tasks threw, one of them is told to all ranks: each throws the same remote_error when all
  /// others have ended. If a taker threw, no other is called from then on, and this rank throws
  /// that.
  /// Throws evencube::error within a task, the second time, and where this rank's runtime is
  /// stopped before all has ended; others that wait throw it when this rank destroys its cluster.
  template <typename... Takers>
  void wait(Takers&&... takers) {
    const std::vector<detail::result_taker> all{detail::make_taker(takers)...};
    wait_with(all);
  }

 private:
  EVENCUBE_EXPORT void spawn_call(std::uint32_t task, bool registered,
                                  std::unique_ptr<detail::cluster_call> call,
                                  const cluster_spawn_options& options);
  EVENCUBE_EXPORT void wait_with(std::span<const detail::result_taker> takers);

  detail::cluster_engine& engine_;
  const std::uint32_t number_;
  bool waited_ = false;
  bool over_ = false;
};

/// While it lives no task begins on any rank, none runs and none is on its way, so that loads can
/// be looked at and balanced exactly.
class cluster_hold {
 public:
  /// Collective. Waits for what runs. Throws evencube::error where this rank's runtime has been
  /// stopped.
  EVENCUBE_EXPORT explicit cluster_hold(cluster& of);
  cluster_hold(const cluster_hold&) = delete;
  cluster_hold& operator=(const cluster_hold&) = delete;
  /// Collective.
  EVENCUBE_EXPORT ~cluster_hold();

  /// Quanta of all tasks that have not begun, of each rank. Collective.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads();
  /// One round; what the balancer saw and decided, the same on all ranks. With tasks of one
  /// quantum each the ranks then hold what the plan says; a dearer task moves where it fits, and
  /// one that is not worth it stays. Collective. Throws evencube::error for "random_stealing".
  EVENCUBE_EXPORT balancing_round balance();

 private:
  detail::cluster_engine& engine_;
};

}  // namespace evencube
