#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/blocked_range.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/detail/line_run.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_for_blocks.hpp>
#include <evencube/runtime.hpp>

/// Loops that run repeatedly on the same data, such as the time steps of a simulation.
namespace evencube {

namespace detail {

/// The items of a balanced loop in linear order: integers, or the blocks of a blocked range.
template <typename Domain>
class loop_items {
 public:
  using item = Domain;
  explicit loop_items(const Domain& all) : tiles_(all) {}
  [[nodiscard]] std::uint64_t size() const noexcept { return tiles_.number(); }
  [[nodiscard]] Domain operator[](std::uint64_t i) const { return tiles_[i]; }

 private:
  tiling<Domain> tiles_;
};
template <std::integral Index>
class loop_items<Index> {
 public:
  using item = Index;
  loop_items(Index first, Index last) : first_(first), size_(detail::iterations(first, last)) {}
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] Index operator[](std::uint64_t i) const { return detail::index_at(first_, i); }

 private:
  Index first_;
  std::uint64_t size_;
};

/// A distinct address for each kind of work over the same items.
template <typename Body>
inline constexpr char kind_of_work = 0;

}  // namespace detail

namespace rule {

/// The domain of a balanced loop: integers, or blocks of one to three dimensions.
template <typename Domain>
concept integers_or_blocks = std::integral<Domain> || detail::is_blocked<Domain>::value;

/// The body of a balanced loop takes an item, or two bounds if the items are integers.
template <typename Body, typename Domain>
concept callable_with_items = requires(const Body& body, const Domain& item) { body(item); } ||
                              (std::integral<Domain> && callable_with_two_bounds<Body, Domain>);

/// The body of `balanced_loop::repeat` takes the number of the sweep, then the arguments of a body
/// of `run`.
template <typename Body, typename Domain>
concept callable_with_sweep_and_items =
    requires(const Body& body, std::size_t sweep, const Domain& item) { body(sweep, item); } ||
    (std::integral<Domain> && requires(const Body& body, std::size_t sweep, const Domain& item) {
      body(sweep, item, item);
    });

/// The results of a body convert to the type of the sum without narrowing.
template <typename Given, typename Value>
concept convertible_without_narrowing = std::convertible_to<Given, Value> &&
                                        summed_without_narrowing<std::remove_cvref_t<Given>, Value>;

/// The body of a reduction returns the value of an item. If the items are integers, the body may
/// take two bounds and return the combined value of the items between the bounds.
template <typename Body, typename Domain, typename Value>
concept gives_the_value_of_items = requires(const Body& body, const Domain& item) {
  { body(item) } -> convertible_without_narrowing<Value>;
} || (std::integral<Domain> && requires(const Body& body, const Domain& item) {
                                     { body(item, item) } -> convertible_without_narrowing<Value>;
                                   });

}  // namespace rule

/// The counters of one balanced loop.
struct balanced_loop_statistics {
  /// The number of runs, sweeps and reductions that have completed.
  std::uint64_t runs = 0;
  /// The number of times that boundaries moved.
  std::uint64_t moves = 0;
  /// The number of items that changed their worker when boundaries moved, in total.
  std::uint64_t moved_items = 0;
  /// The expected time of the slowest block minus the mean, as a fraction of the mean; 0 if the
  /// blocks are even.
  double imbalance = 0;
  /// The measured cost of an item in its first run on another worker, in seconds.
  double cost_of_moved_item = 0;
};

/// A loop that runs repeatedly over the same items, as in an iterative solver, and stays balanced.
/// Every worker has a block of consecutive items, which it keeps from run to run. So the data of
/// the block stay in the worker's caches, and on its NUMA node if a run of the loop is the first to
/// touch them. Each block is timed. Once the time lost to imbalance exceeds the cost of a move, the
/// boundaries move between two runs by the locality-preserving shift (`measured_line`). Within a
/// run, a worker that has finished helps its neighbours on the line, so a worker that was kept from
/// running does not delay the run.
///
///     balanced_loop cells(rt, 0, n);
///     cells.run([&](int first, int last) { ... });   // first touch, then every step
///
/// A loop may run several bodies, which share one partition. Each body is timed separately, and
/// counts in proportion to the number of its shared runs. A shared run has a task for each worker
/// and costs microseconds. If runs follow one another immediately, `repeat` avoids this cost. Short
/// runs are not shared, under the rule of `parallel_for`. Runs of one loop must not overlap; all
/// other members may be called between two runs. Any thread may call any member, inside or outside
/// of tasks. The loop may outlive its runtime; `run`, `repeat` and `reduce` then throw
/// evencube::error.
template <rule::integers_or_blocks Domain>
class balanced_loop {
 public:
  /// Makes a loop over the items [first, last), or over no items if `last` is before `first`.
  /// Throws std::invalid_argument for a negative bound together with an unsigned bound.
  template <std::integral First, std::integral Last>
    requires std::integral<Domain>
  balanced_loop(runtime& rt, First first, Last last)
      : items_(detail::bound_as<Domain>(first, "balanced_loop"),
               detail::bound_as<Domain>(last, "balanced_loop")),
        run_(rt, items_.size()) {}
  /// Makes a loop over the blocks of `all`, a blocked_range of one to three dimensions, row by row.
  balanced_loop(runtime& rt, const Domain& all)
    requires detail::is_blocked<Domain>::value
      : items_(all), run_(rt, items_.size()) {}

  balanced_loop(const balanced_loop&) = delete;
  balanced_loop& operator=(const balanced_loop&) = delete;
  ~balanced_loop() = default;

  /// Calls `body(first, last)` for consecutive parts of the workers' blocks, or `body(item)` for
  /// every item. If the body accepts both calls, the second form is used. Throws the first
  /// exception of a body; parts that had not begun are then left out, and the times of the run are
  /// not used. Throws evencube::error if a run of this loop is in progress, and the exceptions of
  /// `runtime::run`.
  template <rule::callable_with_items<Domain> Body>
  void run(const Body& body) {
    run_.run(&detail::kind_of_work<Body>, 1, [&](std::uint64_t from, std::uint64_t to) {
      if constexpr (requires { body(items_[from]); }) {
        for (std::uint64_t i = from; i < to; ++i) body(items_[i]);
      } else {
        body(items_[from], items_[to]);
      }
    });
  }

  /// Runs the loop `sweeps` times. Calls `body(sweep, first, last)` or `body(sweep, item)` with
  /// `sweep` from 0 on. If the body accepts both calls, the second form is used. All calls of a
  /// sweep have ended, and their writes are visible, before the next sweep begins. The workers stay
  /// in the loop, so a sweep costs less than a run: about as much as a barrier. A worker that waits
  /// for other workers returns to the runtime after 50 us, or immediately if there are more workers
  /// than processing units, and comes back when the sweep has ended. Boundaries move after 1, 3, 7,
  /// ... sweeps, and at least every 512 sweeps. Throws the exceptions of `run`; sweeps that had not
  /// begun are then left out.
  template <rule::callable_with_sweep_and_items<Domain> Body>
  void repeat(std::size_t sweeps, const Body& body) {
    run_.repeat(&detail::kind_of_work<Body>, sweeps,
                [&](std::uint64_t sweep, std::uint64_t from, std::uint64_t to) {
                  const auto s = static_cast<std::size_t>(sweep);
                  if constexpr (requires { body(s, items_[from]); }) {
                    for (std::uint64_t i = from; i < to; ++i) body(s, items_[i]);
                  } else {
                    body(s, items_[from], items_[to]);
                  }
                });
  }

  /// Combines `init` with the values of all items in order, where `body(item)` or
  /// `body(first, last)` returns the values. The grouping depends only on the number of items and
  /// `grain`, so the result has the same bits in every run and for any number of workers. Each part
  /// of `grain` items is reduced serially, and the values of the parts are combined from left to
  /// right. With a grain of 0 there are at most 2048 parts. Throws the exceptions of `run`.
  template <typename Value, typename Body, typename Combine>
    requires rule::gives_the_value_of_items<Body, Domain, Value> &&
             rule::combines_two_values<Combine, Value>
  [[nodiscard]] Value reduce(Value init, const Body& body, const Combine& combine,
                             std::size_t grain = 0) {
    const detail::blocks parts(items_.size(), grain);
    const auto length = static_cast<std::uint64_t>(parts.number() != 0 ? parts.last(0) : 1);
    std::vector<std::optional<Value>> values(parts.number());
    run_.run(&detail::kind_of_work<Body>, length, [&](std::uint64_t from, std::uint64_t to) {
      for (std::size_t part = from / length; part < parts.number() && parts.first(part) < to;
           ++part) {
        values[part].emplace(value_of<Value>(body, combine, parts.first(part), parts.last(part)));
      }
    });
    for (std::optional<Value>& value : values) {
      init = std::invoke(combine, std::move(init), *std::move(value));
    }
    return init;
  }

  /// Changes the items to [first, last). The blocks keep their shares of all items, and
  /// measurements are kept. Throws the exceptions of the constructor, and evencube::error during a
  /// run.
  template <std::integral First, std::integral Last>
    requires std::integral<Domain>
  void resize(First first, Last last) {
    const detail::loop_items<Domain> items(detail::bound_as<Domain>(first, "balanced_loop"),
                                           detail::bound_as<Domain>(last, "balanced_loop"));
    run_.resize(items.size());
    items_ = items;
  }
  /// Changes the items to the blocks of `all`. The workers' blocks keep their shares of all items,
  /// and measurements are kept. Throws the exceptions of the constructor, and evencube::error
  /// during a run.
  void resize(const Domain& all)
    requires(detail::is_blocked<Domain>::value)
  {
    const detail::loop_items<Domain> items(all);
    run_.resize(items.size());
    items_ = items;
  }

  /// The items [first, last), counted from 0, and the worker that has them.
  struct block {
    std::uint64_t first;
    std::uint64_t last;
    unsigned worker;
  };
  /// Returns the blocks of the run that began last, one for each worker, in the order of the items.
  /// Programs can lay out their data in these blocks.
  [[nodiscard]] std::vector<block> partition() const {
    std::vector<block> all;
    for (std::size_t p = 0; p < run_.line().positions(); ++p) {
      all.push_back({run_.line().bounds()[p], run_.line().bounds()[p + 1], run_.worker_at(p)});
    }
    return all;
  }
  /// Returns the number of items.
  [[nodiscard]] std::uint64_t size() const noexcept { return items_.size(); }
  /// Returns the counters of the loop.
  [[nodiscard]] balanced_loop_statistics statistics() const {
    return {run_.runs(), run_.moves(), run_.moved(), run_.line().imbalance(),
            run_.line().cost_of_moved_item()};
  }

 private:
  template <typename Value, typename Body, typename Combine>
  Value value_of(const Body& body, const Combine& combine, std::uint64_t from,
                 std::uint64_t to) const {
    if constexpr (requires { body(items_[from]); }) {
      Value value = body(items_[from]);
      for (std::uint64_t i = from + 1; i < to; ++i) {
        value = std::invoke(combine, std::move(value), body(items_[i]));
      }
      return value;
    } else {
      return body(items_[from], items_[to]);
    }
  }

  detail::loop_items<Domain> items_;
  detail::line_run run_;
};

template <std::integral First, std::integral Last>
balanced_loop(runtime&, First, Last) -> balanced_loop<std::common_type_t<First, Last>>;
template <typename Blocked>
balanced_loop(runtime&, const Blocked&) -> balanced_loop<Blocked>;

}  // namespace evencube
