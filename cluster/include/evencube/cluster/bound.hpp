#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <evencube/cluster.hpp>
#include <evencube/cluster/detail/best_value.hpp>

namespace evencube {

/// The best value that any rank has found, such as the cost of the best solution in a
/// branch-and-bound search, which skips branches that cannot give a better one.
///
///     cluster_bound least(world, "least", 1000);
///     cluster_task<node, void> search;
///     search = world.task<node, void>("search", [&](cluster_context& here, const node& n) {
///       if (n.least_cost() >= least.get()) return;
///       if (n.is_solution()) least.improve(here, n.cost());
///       for (const node& each : n.children()) here.spawn(search, each);
///     });
///
/// A rank that finds a better value sends it to the other ranks, over a binomial tree, in at most
/// size() - 1 tasks of the group in which it was found. Until these have run, ranks may know
/// different values. When the wait for the group has returned, all ranks know the same value, and
/// none was found that is better. This holds until a rank begins to search in another group, which
/// may be before the wait has returned on this rank: where ranks decide by the value, call
/// `cluster::gather` in between. Only one group at a time may search. T travels like the argument
/// of a task.
template <typename T, typename Better = std::less<>>
class cluster_bound {
 public:
  /// Registers the task that carries values, which is called "bound " and `name`. All ranks call
  /// this in the same order, before they make the first group. `initial` is the value with which a
  /// search begins, and is equal on all ranks. `better(a, b)` is true if `a` is better than `b`. It
  /// must be a strict weak order, and several threads may call it at once. The object must live
  /// until the groups that use it have been waited for. Throws what `cluster::task` throws.
  cluster_bound(cluster& of, const std::string& name, T initial, Better better = {})
      : cluster_(of),
        best_(
            std::make_shared<detail::best_value<T, Better>>(std::move(initial), std::move(better))),
        carry_(std::make_shared<carrier>()) {
    // A task may run when an exception has destroyed this object. The function keeps the value, but
    // not the task, which keeps the function.
    *carry_ = of.template task<message, void>(
        "bound " + name, [best = best_, carry = std::weak_ptr<const carrier>(carry_)](
                             cluster_context& here, const message& sent) {
          if (!best->learn(sent)) return;
          if (const auto task = carry.lock()) pass_on(*task, here, here.rank(), here.size(), sent);
        });
  }
  cluster_bound(const cluster_bound&) = delete;
  cluster_bound& operator=(const cluster_bound&) = delete;
  ~cluster_bound() = default;

  /// Returns the best value that this rank knows. Any thread may call this. O(1), and without a
  /// lock if `std::atomic<T>` needs none.
  [[nodiscard]] T get() const { return best_->get(); }

  /// If `value` is better than the best one that this rank knows, sends it to the other ranks and
  /// returns true. Otherwise does nothing. `by` spawns the tasks that carry the value: the
  /// `cluster_context` of a running task, or a `cluster_group` or `cluster_reduction` before its
  /// wait. Any thread that may spawn with `by` may call this. Throws what `by.spawn` throws; then
  /// this rank knows the value, and other ranks may not.
  template <typename Spawner>
  bool improve(Spawner& by, const T& value) {
    if (!best_->find(value, cluster_.rank())) return false;
    pass_on(*carry_, by, cluster_.rank(), cluster_.size(), message{value, cluster_.rank()});
    return true;
  }

  /// Makes all ranks know `initial`, which is equal on all ranks, for another search. Collective.
  /// The groups that used this object must have been waited for. Throws what `cluster::gather`
  /// throws.
  void reset(const T& initial) {
    best_->reset(initial);
    // No rank begins the next search while another one still has the result of the last.
    static_cast<void>(cluster_.gather(std::uint8_t{0}));
  }

 private:
  static_assert(!std::is_pointer_v<T>, "an address means nothing to another rank");
  using message = detail::found_value<T>;
  using carrier = cluster_task<message, void>;

  /// Sends a value to the children of `rank` in the binomial tree whose root found it.
  template <typename Spawner>
  static void pass_on(const carrier& task, Spawner& by, unsigned rank, unsigned ranks,
                      const message& sent) {
    const unsigned place = (rank + ranks - sent.by) % ranks;
    for (unsigned bit = std::bit_ceil(place + 1); place + bit < ranks; bit *= 2) {
      by.spawn(task, sent, {.cost = 1, .rank = (place + bit + sent.by) % ranks, .stays = true});
    }
  }

  cluster& cluster_;
  const std::shared_ptr<detail::best_value<T, Better>> best_;
  const std::shared_ptr<carrier> carry_;
};

}  // namespace evencube
