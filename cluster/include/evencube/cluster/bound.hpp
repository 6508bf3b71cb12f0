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
/// branch-and-bound search; the search skips branches that cannot improve on it.
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
/// size() - 1 tasks of the group in which it was found. Until these tasks have run, ranks may know
/// different values. When the wait for the group returns, all ranks know the same value, the best
/// one found. The ranks agree until any rank begins to search in another group, perhaps before the
/// wait has returned on this rank. If ranks base decisions on the value, call `cluster::gather` in
/// between. Only one group at a time may search. T travels like a task argument.
template <typename T, typename Better = std::less<>>
class cluster_bound {
 public:
  /// Registers the task that carries values; its name is "bound " followed by `name`. All ranks
  /// must call this in the same order, before the first group. `initial` is the value with which a
  /// search begins; it must be equal on all ranks. `better(a, b)` returns true if `a` is better
  /// than `b`. `better` must be a strict weak ordering, and several threads may call it
  /// simultaneously. The object must live until the groups that use it have been waited for. Throws
  /// the exceptions of `cluster::task`.
  cluster_bound(cluster& of, const std::string& name, T initial, Better better = {})
      : cluster_(of),
        best_(
            std::make_shared<detail::best_value<T, Better>>(std::move(initial), std::move(better))),
        carry_(std::make_shared<carrier>()) {
    // A task may run after an exception has destroyed this object. So the function owns the value,
    // but not the task, because the task owns the function.
    *carry_ = of.template saved_task<message, void>(
        "bound " + name,
        [best = best_, carry = std::weak_ptr<const carrier>(carry_)](cluster_context& here,
                                                                     const message& sent) {
          if (!best->learn(sent)) return;
          if (const auto task = carry.lock()) pass_on(*task, here, here.rank(), here.size(), sent);
        },
        {.state = std::make_shared<detail::saved_bound<T, Better>>(best_), .dropped = true});
  }
  cluster_bound(const cluster_bound&) = delete;
  cluster_bound& operator=(const cluster_bound&) = delete;
  ~cluster_bound() = default;

  /// Returns the best value that this rank knows. Any thread may call this. O(1); lock-free if
  /// `std::atomic<T>` is.
  [[nodiscard]] T get() const { return best_->get(); }

  /// If `value` is better than the best value that this rank knows, sends it to the other ranks and
  /// returns true. Otherwise returns false. `by`, which spawns the tasks that carry the value, is
  /// the `cluster_context` of a running task, or a `cluster_group` or `cluster_reduction` before
  /// its wait. Any thread that may spawn with `by` may call this. Throws the exceptions of
  /// `by.spawn`; after an exception, this rank knows the value, but other ranks may not.
  template <typename Spawner>
  bool improve(Spawner& by, const T& value) {
    if (!best_->find(value, cluster_.rank())) return false;
    pass_on(*carry_, by, cluster_.rank(), cluster_.size(), message{value, cluster_.rank()});
    return true;
  }

  /// Sets the value to `initial`, which must be equal on all ranks, for another search. Collective.
  /// The groups that used this object must have been waited for. Throws the exceptions of
  /// `cluster::gather`.
  void reset(const T& initial) {
    best_->reset(initial);
    // No rank begins the next search while another rank still has the result of the previous
    // search.
    static_cast<void>(cluster_.gather(std::uint8_t{0}));
  }

 private:
  static_assert(!std::is_pointer_v<T>, "an address means nothing to another rank");
  using message = detail::found_value<T>;
  using carrier = cluster_task<message, void>;

  /// Sends a value to the children of `rank` in the binomial tree whose root is the rank that found
  /// the value.
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
