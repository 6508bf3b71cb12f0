#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/balancers/choice.hpp>
#include <evencube/balancers/plan.hpp>
#include <evencube/blocking.hpp>
#include <evencube/cluster.hpp>
#include <evencube/cluster/detail/checkpoint_files.hpp>
#include <evencube/cluster/detail/object_moves.hpp>
#include <evencube/cluster/detail/object_store.hpp>
#include <evencube/cluster/detail/saved_objects.hpp>
#include <evencube/cluster/object_id.hpp>
#include <evencube/cluster/object_task.hpp>
#include <evencube/error.hpp>

namespace evencube {

/// The result of `cluster_objects::balance`, equal on all ranks.
struct cluster_object_round {
  /// The loads of the ranks before and after balancing, in quanta.
  std::vector<load_type> loads_before;
  std::vector<load_type> loads_after;
  /// The plan of the balancer for `loads_before`. Afterwards each rank's load differs from its
  /// planned load by at most the load of the largest object.
  plan planned;
  /// The number of objects that moved.
  std::uint64_t moved = 0;
};

/// Objects that live on the ranks of a cluster, such as the blocks of a mesh. An object's tasks run
/// on the rank where it lives; plans move objects, and with them their work, between ranks.
///
///     cluster_objects<block> blocks(world, "blocks");
///     auto step = blocks.task<int, void>("step", [](block& b, int n) { b.advance(n); });
///     for (unsigned i = world.rank(); i < 64; i += world.size()) blocks.make(block(i));
///     blocks.share();
///     for (int n = 0; n < 1000; ++n) {
///       cluster_group jobs(world);
///       blocks.for_each([&](cluster_object_id b, block&) { blocks.spawn(jobs, step, b, n); });
///       jobs.wait();
///       if (n % 10 == 9) blocks.balance();
///     }
///
/// Objects move only in collective calls and while no group is open, that is, when every rank has
/// waited for all groups that it made. So a task always finds its object, and all ranks know where
/// all objects live; this takes memory in proportion to the number of objects. T travels like a
/// task argument and need not be copyable. Any thread and any task may call the members that are
/// not collective, except during a collective call.
template <typename T>
class cluster_objects {
 public:
  /// Registers the task that carries objects; its name is "objects " followed by `name`. All ranks
  /// must call this in the same order, before the first group. The `cluster_objects` must live
  /// until the groups that use it have been waited for. Throws the exceptions of `cluster::task`.
  cluster_objects(cluster& of, std::string name)
      : cluster_(of),
        name_(std::move(name)),
        store_(std::make_shared<detail::object_store<T>>(of.rank())),
        saved_(std::make_shared<detail::saved_objects<T>>(name_, store_)),
        carry_(of.template saved_task<detail::message_bytes, void>(
            "objects " + name_,
            [store = store_](const detail::message_bytes& sent) {
              detail::put_object(*store, detail::byte_reader(sent));
            },
            {.state = saved_})) {}
  cluster_objects(const cluster_objects&) = delete;
  cluster_objects& operator=(const cluster_objects&) = delete;
  ~cluster_objects() = default;

  /// Registers a task of objects, as `cluster::task` does: `f(T&, const Argument&)` or
  /// `f(cluster_context&, T&, const Argument&)`. Each object's tasks run one at a time. If another
  /// task is using the object, a task's worker waits in a `blocking_scope`.
  template <typename Argument, typename Result, typename F>
  cluster_object_task<T, Argument, Result> task(std::string name, F f) {
    return add<Argument, Result, T&, std::unique_lock<std::shared_mutex>>(std::move(name),
                                                                          std::move(f));
  }
  /// Registers a task that only reads objects: `f(const T&, const Argument&)` or
  /// `f(cluster_context&, const T&, const Argument&)`. Several such tasks may run on one object
  /// simultaneously.
  template <typename Argument, typename Result, typename F>
  cluster_object_task<T, Argument, Result> shared_task(std::string name, F f) {
    return add<Argument, Result, const T&, std::shared_lock<std::shared_mutex>>(std::move(name),
                                                                                std::move(f));
  }

  /// Makes an object on this rank and returns its name. Other ranks know the object after the next
  /// `share`, `balance`, `balance_by` or `move`.
  cluster_object_id make(T value) { return store_->make(std::move(value)); }
  /// Destroys an object that lives on this rank. All its tasks must have ended. Throws
  /// std::invalid_argument if the object does not live on this rank.
  void remove(cluster_object_id object) {
    if (!store_->remove(object)) throw std::invalid_argument(not_here(object));
  }
  /// Returns the rank on which an object lives. O(log objects). Throws std::invalid_argument for an
  /// object that this rank does not know.
  [[nodiscard]] unsigned rank_of(cluster_object_id object) const {
    const std::uint32_t rank = store_->rank_of(object);
    if (rank == detail::object_store<T>::nowhere) {
      throw std::invalid_argument("cluster_objects \"" + name_ + "\": rank " +
                                  std::to_string(cluster_.rank()) + " knows no object " +
                                  shown(object));
    }
    return rank;
  }
  /// Calls `f(cluster_object_id, T&)` for each object of this rank, in the order of their names. An
  /// object's tasks cannot run while f is called for it, so f must not wait for them. If another
  /// rank has begun a group, its tasks may run before or after the call.
  template <typename F>
  void for_each(F f) {
    for (const auto& [id, one] : store_->here()) {
      const std::lock_guard lock(one->lock);
      f(id, one->value);
    }
  }

  /// Spawns a task of an object on the rank where the object lives. `by` is a `cluster_group`, a
  /// `cluster_reduction` or a `cluster_context`. Takers receive a `cluster_object_call<Argument>`.
  /// Throws evencube::error for a task that another `cluster_objects` has registered, and the
  /// exceptions of `rank_of` and `by.spawn`.
  template <typename Spawner, typename Argument, typename Result>
  void spawn(Spawner& by, const cluster_object_task<T, Argument, Result>& task,
             cluster_object_id object, std::type_identity_t<Argument> argument,
             std::optional<std::uint32_t> cost = std::nullopt) {
    if (task.of_ != store_.get()) {
      throw error("cluster_objects \"" + name_ +
                  "\": spawn of a task that these objects have not registered");
    }
    by.spawn(task.task_, {object, std::move(argument)},
             {.cost = cost, .rank = rank_of(object), .stays = true});
  }

  // Collective calls. They throw evencube::error if a group of this rank is open, and the
  // exceptions of `cluster::gather`.

  /// Informs all ranks where each object lives. Collective.
  void share() {
    require_no_group("share");
    agree();
  }

  /// Plans moves of objects between ranks, and carries them out. Collective. An object's load is
  /// the time that its tasks have taken since the last call, in quanta such that the largest load
  /// is 65536. All ranks are taken to be equally fast. Throws the exceptions of the balancer.
  cluster_object_round balance(const balancer_choice& by = "oem",
                               const balancer_options& options = {}) {
    require_no_group("balance");
    struct object_time {
      cluster_object_id id;
      double seconds;
    };
    std::vector<object_time> own;
    for (const auto& [id, one] : store_->here()) {
      own.push_back({id, one->seconds.load(std::memory_order_relaxed)});
    }
    const std::vector<std::vector<object_time>> all = cluster_.gather(own);
    double most = 0;
    for (const auto& of_rank : all) {
      for (const object_time& one : of_rank) most = (std::max)(most, one.seconds);
    }
    const double quantum = most > 0 ? most / 65536 : 1;
    std::vector<detail::placed_object> placed;
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
      for (const auto& [id, seconds] : all[rank]) {
        const load_type load = std::llround(seconds / quantum);
        placed.push_back({id, rank, (std::max<load_type>)(1, load)});
      }
    }
    const auto done = plan_and_move(std::move(placed), by, options);
    for (const auto& [id, one] : store_->here()) one->seconds.store(0, std::memory_order_relaxed);
    return done;
  }
  /// Like `balance`, but with the loads that `load_of(const T&)` returns, in quanta from 1 to 2^32.
  /// If all loads are 1, the ranks afterwards have exactly the planned loads. Throws
  /// std::invalid_argument on all ranks for other loads, and evencube::error if `load_of` throws.
  template <typename LoadOf>
    requires std::is_invocable_r_v<load_type, LoadOf&, const T&>
  cluster_object_round balance_by(LoadOf load_of, const balancer_choice& by = "oem",
                                  const balancer_options& options = {}) {
    require_no_group("balance_by");
    std::vector<detail::placed_object> own;
    throw_on_all<error>(detail::problem_of([&] {
      for (const auto& [id, one] : store_->here()) {
        const auto load = static_cast<load_type>(load_of(std::as_const(one->value)));
        own.push_back({id, cluster_.rank(), load});
      }
    }));
    std::vector<detail::placed_object> placed;
    for (const auto& of_rank : cluster_.gather(own)) {
      for (const detail::placed_object& one : of_rank) {
        if (one.load < 1 || one.load > load_type{1} << 32) {
          throw std::invalid_argument("cluster_objects \"" + name_ + "\": the load of object " +
                                      shown(one.id) + " is " + std::to_string(one.load) +
                                      ", allowed are 1 to 2^32");
        }
        placed.push_back(one);
      }
    }
    return plan_and_move(std::move(placed), by, options);
  }

  /// Moves each listed object of this rank to the rank paired with it. Collective. Throws
  /// std::invalid_argument on all ranks, and moves nothing, if a listed object does not live on
  /// this rank or is listed twice, or if a rank does not exist.
  void move(const std::vector<std::pair<cluster_object_id, unsigned>>& objects) {
    require_no_group("move");
    std::string problem;
    std::set<cluster_object_id> seen;
    for (const auto& [id, to] : objects) {
      if (store_->find(id) == nullptr) problem = not_here(id);
      if (!seen.insert(id).second) {
        problem = "cluster_objects::move: object " + shown(id) + " is given twice";
      }
      if (to >= cluster_.size()) {
        problem = "cluster_objects::move: rank " + std::to_string(to) +
                  ", allowed are those below " + std::to_string(cluster_.size());
      }
    }
    throw_on_all<std::invalid_argument>(problem);
    carry(objects);
  }

  /// Saves all objects at `path`, a file that all ranks can read. Collective. Next to this file,
  /// each rank writes a file whose name ends in two more numbers. The saved objects are replaced in
  /// one step, once all files have been written: if a process is killed earlier, the previous save
  /// remains intact. Throws evencube::error on all ranks, and keeps the previous save, if a file
  /// cannot be written, or if objects of another name or type were saved at `path`.
  void save(const std::string& path) {
    require_no_group("save");
    detail::save_parts(path, content(), {}, ranks(), [this] {
      detail::byte_writer out;
      saved_->write(out);
      return out.take();
    });
  }
  /// Restores the objects that were saved at `path`, with their names, on any number of ranks.
  /// Collective. Returns false if nothing was saved there. Throws evencube::error on all ranks, and
  /// restores nothing, if objects already exist, or if a file cannot be read, has changed, or has
  /// objects of another name or type.
  bool load(const std::string& path) {
    require_no_group("load");
    const auto done = detail::load_parts(
        path, content(), detail::problem_of([this] { saved_->require_empty(); }), ranks(),
        [this](std::size_t part, std::size_t, const detail::message_bytes& bytes) {
          detail::byte_reader in(bytes);
          saved_->read(in, part == cluster_.rank());
        });
    saved_->settle(done.problem.empty());
    if (!done.problem.empty()) throw error(done.problem);
    agree();
    return done.found;
  }

 private:
  static_assert(!std::is_pointer_v<T>, "an address means nothing to another rank");

  [[nodiscard]] static std::string shown(cluster_object_id id) {
    return std::to_string(id.maker) + "." + std::to_string(id.number);
  }
  [[nodiscard]] std::string not_here(cluster_object_id id) const {
    return "cluster_objects \"" + name_ + "\": object " + shown(id) + " does not live on rank " +
           std::to_string(cluster_.rank());
  }
  void require_no_group(const char* call) const {
    if (!detail::has_open_group(cluster_.engine())) return;
    throw error(std::string("cluster_objects::") + call + " while a group of rank " +
                std::to_string(cluster_.rank()) + " has not been waited for");
  }

  template <typename Argument, typename Result, typename Value, typename Lock, typename F>
  cluster_object_task<T, Argument, Result> add(std::string name, F f) {
    using call_type = cluster_object_call<Argument>;
    const auto run = [store = store_, f = std::move(f), of = name_](
                         cluster_context& here, const call_type& call) -> Result {
      const auto found = store->find(call.object);
      if (found == nullptr) {
        throw error("cluster_objects \"" + of + "\": object " + shown(call.object) +
                    " does not live on rank " + std::to_string(here.rank()));
      }
      Lock lock(found->lock, std::try_to_lock);
      if (!lock.owns_lock()) {
        const blocking_scope others_go_on;
        lock.lock();
      }
      const detail::object_timer timer(found->seconds);
      Value value = found->value;
      if constexpr (std::is_invocable_v<const F&, cluster_context&, Value, const Argument&>) {
        return f(here, value, call.argument);
      } else {
        return f(value, call.argument);
      }
    };
    const auto lives_on = [store = store_](const detail::cluster_call& call) {
      using typed = detail::typed_call<call_type, Result>;
      return store->rank_of(static_cast<const typed&>(call).argument().object);
    };
    return cluster_object_task<T, Argument, Result>(
        cluster_.template saved_task<call_type, Result>(std::move(name), run,
                                                        {.lives_on = lives_on}),
        store_.get());
  }

  /// Informs all ranks where each object lives, so tasks of the next group find their objects,
  /// whichever rank begins that group. Collective.
  void agree() {
    store_->learn(cluster_.gather(store_->ids()));
    static_cast<void>(cluster_.gather(std::uint8_t{0}));
  }
  [[nodiscard]] std::string content() const {
    return "objects \"" + name_ + "\" of type " + detail::shown_type<T>();
  }
  [[nodiscard]] detail::checkpoint_ranks ranks() {
    return {cluster_.rank(), cluster_.size(),
            [this](const detail::message_bytes& own) { return cluster_.gather(own); }};
  }
  template <typename Error>
  void throw_on_all(const std::string& problem) {
    const std::string first = detail::first_problem(problem, ranks());
    if (!first.empty()) throw Error(first);
  }

  cluster_object_round plan_and_move(std::vector<detail::placed_object> all,
                                     const balancer_choice& by, const balancer_options& options) {
    const std::vector<detail::placed_object> before = all;
    cluster_object_round done;
    done.planned = detail::place_objects(all, cluster_.size(), by, options, rounds_++);
    done.loads_before.assign(cluster_.size(), 0);
    done.loads_after.assign(cluster_.size(), 0);
    std::vector<std::pair<cluster_object_id, unsigned>> own;
    for (std::size_t i = 0; i < all.size(); ++i) {
      done.loads_before[before[i].rank] += all[i].load;
      done.loads_after[all[i].rank] += all[i].load;
      if (all[i].rank == before[i].rank) continue;
      ++done.moved;
      if (before[i].rank == cluster_.rank()) own.emplace_back(all[i].id, all[i].rank);
    }
    carry(own);
    return done;
  }

  /// Moves objects of this rank. Collective. Objects are removed from this rank only once all have
  /// arrived.
  void carry(const std::vector<std::pair<cluster_object_id, unsigned>>& objects) {
    std::vector<std::pair<unsigned, detail::message_bytes>> going;
    std::vector<cluster_object_id> left;
    throw_on_all<std::length_error>(detail::problem_of([&] {
      for (const auto& [id, to] : objects) {
        if (to == cluster_.rank()) continue;
        going.emplace_back(to, bytes_to_send(id));
        left.push_back(id);
      }
    }));
    try {
      cluster_group moves(cluster_);
      for (auto& [to, bytes] : going) {
        moves.spawn(carry_, std::move(bytes), {.cost = 1, .rank = to, .stays = true});
      }
      moves.wait();
    } catch (...) {
      store_->settle(false, {});
      throw;
    }
    store_->settle(true, left);
    agree();
  }
  [[nodiscard]] detail::message_bytes bytes_to_send(cluster_object_id id) const {
    // The message also contains its length.
    const std::size_t most = detail::longest_argument(cluster_.engine()) - sizeof(std::uint64_t);
    try {
      return detail::object_bytes(id, *store_->find(id), most);
    } catch (const detail::message_too_long& problem) {
      throw std::length_error("cluster_objects \"" + name_ + "\": object " + shown(id) + " takes " +
                              std::to_string(problem.bytes()) +
                              " bytes or more, and a message can have " + std::to_string(most) +
                              " of them");
    }
  }

  cluster& cluster_;
  const std::string name_;
  const std::shared_ptr<detail::object_store<T>> store_;
  const std::shared_ptr<detail::saved_objects<T>> saved_;
  const cluster_task<detail::message_bytes, void> carry_;
  std::uint64_t rounds_ = 0;
};

}  // namespace evencube
