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

/// Loops that run repeatedly on the same data, as in the time steps of a simulation.
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

/// A variable whose address is distinct for each kind of work over the same items.
template <typename Body>
inline constexpr char kind_of_work = 0;

}  // namespace detail

namespace rule {

/// The domain of a balanced loop: integers, or blocks of one to three dimensions.
template <typename Domain>
concept integers_or_blocks = std::integral<Domain> || detail::is_blocked<Domain>::value;

/// The body of a balanced loop must accept an item or, if the items are integers, two bounds.
template <typename Body, typename Domain>
concept callable_with_items = requires(const Body& body, const Domain& item) { body(item); } ||
                              (std::integral<Domain> && callable_with_two_bounds<Body, Domain>);

/// The body of `balanced_loop::repeat` takes the sweep number, followed by the arguments that a
/// body of `run` takes.
template <typename Body, typename Domain>
concept callable_with_sweep_and_items =
    requires(const Body& body, std::size_t sweep, const Domain& item) { body(sweep, item); } ||
    (std::integral<Domain> && requires(const Body& body, std::size_t sweep, const Domain& item) {
      body(sweep, item, item);
    });

/// A body's results convert to the sum's type without narrowing.
template <typename Given, typename Value>
concept convertible_without_narrowing = std::convertible_to<Given, Value> &&
                                        summed_without_narrowing<std::remove_cvref_t<Given>, Value>;

/// The body of a reduction returns an item's value. If the items are integers, the body may instead
/// take two bounds and return the combined value of the items between them.
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
  /// The total number of items that went to another worker when boundaries moved.
  std::uint64_t moved_items = 0;
  /// The slowest block's expected time minus the mean block time, as a fraction of that mean; 0 if
  /// all blocks take the same time.
  double imbalance = 0;
  /// The measured extra cost of a moved item in its first run on the new worker, in seconds.
  double cost_of_moved_item = 0;
};

/// A loop that runs repeatedly over the same items, as in an iterative solver, and stays balanced.
/// Every worker keeps the same block of consecutive items from run to run. So the block's data stay
/// in the worker's caches, and on its NUMA node if the loop is the first to touch the data. Each
/// block is timed. Once the time lost to imbalance exceeds the cost of a move, the
/// locality-preserving shift (`measured_line`) moves the boundaries between two runs. Within a run,
/// a worker that has finished helps its neighbours on the line, so a preempted worker does not
/// delay the run.
///
///     balanced_loop cells(rt, 0, n);
///     cells.run([&](int first, int last) { ... });   // first touch, then every step
///
/// A loop may run several bodies, which share one partition. Each body is timed separately and
/// weighted by the number of its shared runs. A run that is shared among the workers needs one task
/// per worker, which costs microseconds. If runs follow one another immediately, `repeat` avoids
/// this cost. As in `parallel_for`, short runs are not shared. Runs of one loop must not overlap;
/// all other members may be called between two runs. Any thread may call any member, inside or
/// outside of tasks. The loop may outlive its runtime; `run`, `repeat` and `reduce` then throw
/// evencube::error.
template <rule::integers_or_blocks Domain>
class balanced_loop {
 public:
  /// Makes a loop over the items [first, last), or over no items if `last` is before `first`.
  /// Throws std::invalid_argument if one bound is negative and the other has an unsigned type.
  template <std::integral First, std::integral Last>
    requires std::integral<Domain>
  balanced_loop(runtime& rt, First first, Last last)
      : items_(detail::bound_as<Domain>(first, "balanced_loop"),
               detail::bound_as<Domain>(last, "balanced_loop")),
        run_(rt, items_.size()) {}
  /// Makes a loop that visits the blocks of `all`, a one- to three-dimensional blocked_range, row
  /// by row.
  balanced_loop(runtime& rt, const Domain& all)
    requires detail::is_blocked<Domain>::value
      : items_(all), run_(rt, items_.size()) {}

  balanced_loop(const balanced_loop&) = delete;
  balanced_loop& operator=(const balanced_loop&) = delete;
  ~balanced_loop() = default;

  /// Calls `body(first, last)` for consecutive parts of the workers' blocks, or `body(item)` for
  /// every item. If the body accepts both calls, the second form is used. Rethrows the first
  /// exception that a body throws; parts that have not begun are then skipped, and the run's times
  /// are discarded. Throws evencube::error if a run of this loop is in progress. Also throws the
  /// exceptions of `runtime::run`.
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
  /// `sweep` counting up from 0. If the body accepts both calls, the second form is used. All calls
  /// of a sweep have ended, and their writes are visible, before the next sweep begins. The workers
  /// stay in the loop, so a sweep costs less than a run: about as much as a barrier. A worker that
  /// waits for other workers returns to the runtime after 50 us, or immediately if there are more
  /// workers than processing units, and rejoins the loop when the sweep has ended. Boundaries move
  /// after 1, 3, 7, ... sweeps, and at least every 512 sweeps. Throws the exceptions of `run`;
  /// sweeps that have not begun are then skipped.
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

  /// Combines `init` with the values of all items, in order. `body(item)` returns the value of an
  /// item; `body(first, last)` returns the combined value of several items. The grouping depends
  /// only on the number of items and `grain`, so the result has the same bits in every run and for
  /// any number of workers. Each part of `grain` items is reduced serially, and the values of the
  /// parts are combined from left to right. With a grain of 0 there are at most 2048 parts. Throws
  /// the exceptions of `run`.
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

  /// Changes the items to [first, last). Each block keeps its share of the items, and measurements
  /// are kept. Throws the exceptions of the constructor, and evencube::error if a run is in
  /// progress.
  template <std::integral First, std::integral Last>
    requires std::integral<Domain>
  void resize(First first, Last last) {
    const detail::loop_items<Domain> items(detail::bound_as<Domain>(first, "balanced_loop"),
                                           detail::bound_as<Domain>(last, "balanced_loop"));
    run_.resize(items.size());
    items_ = items;
  }
  /// Changes the items to the blocks of `all`. Each worker's block keeps its share of the items,
  /// and measurements are kept. Throws the exceptions of the constructor, and evencube::error if a
  /// run is in progress.
  void resize(const Domain& all)
    requires(detail::is_blocked<Domain>::value)
  {
    const detail::loop_items<Domain> items(all);
    run_.resize(items.size());
    items_ = items;
  }

  /// The items [first, last), numbered from 0, and the worker that owns them.
  struct block {
    std::uint64_t first;
    std::uint64_t last;
    unsigned worker;
  };
  /// Returns the blocks of the most recently started run, one per worker, in item order. Programs
  /// can lay out their data in these blocks.
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
