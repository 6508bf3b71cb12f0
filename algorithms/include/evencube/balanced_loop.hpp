#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// Loops that are run over and over on the same data, such as the time steps of a simulation.
namespace evencube {

namespace detail {

/// The items of a balanced loop, on a line: integers, or the blocks of a blocked range.
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

/// An address for each kind of work over the same items.
template <typename Body>
inline constexpr char kind_of_work = 0;

}  // namespace detail

namespace rule {

/// What a balanced loop goes over: integers, or blocks of one to three dimensions.
template <typename Domain>
concept integers_or_blocks = std::integral<Domain> || detail::is_blocked<Domain>::value;

/// The body of a balanced loop takes an item, or where items are integers two bounds.
template <typename Body, typename Domain>
concept callable_with_items = requires(const Body& body, const Domain& item) { body(item); } ||
                              (std::integral<Domain> && callable_with_two_bounds<Body, Domain>);

/// What a body gives is summed up as a value without losing a fraction or bits of it.
template <typename Given, typename Value>
concept convertible_without_narrowing = std::convertible_to<Given, Value> &&
                                        summed_without_narrowing<std::remove_cvref_t<Given>, Value>;

/// The body of a reduction gives the value of an item, or where items are integers of those between
/// two bounds.
template <typename Body, typename Domain, typename Value>
concept gives_the_value_of_items = requires(const Body& body, const Domain& item) {
  { body(item) } -> convertible_without_narrowing<Value>;
} || (std::integral<Domain> && requires(const Body& body, const Domain& item) {
                                     { body(item, item) } -> convertible_without_narrowing<Value>;
                                   });

}  // namespace rule

struct balanced_loop_statistics {
  /// Runs and reductions that came to their ends.
  std::uint64_t runs = 0;
  /// How often boundaries moved, and how many items changed their worker by that, in all.
  std::uint64_t moves = 0;
  std::uint64_t moved_items = 0;
  /// How much longer than the average the slowest block is expected to take: 0 is even.
  double imbalance = 0;
  /// What an item was measured to cost in its first run on another worker, in seconds.
  double cost_of_moved_item = 0;
};

/// A loop that is run again and again over the same items, as in an iterated solver, and stays
/// balanced: every worker has a block of consecutive items, the same from run to run, so that its
/// data stay in its caches and on its NUMA node (touch them first in a run of the loop). Each block
/// is timed; between two runs the boundaries move by the locality-preserving shift once the time
/// lost to imbalance exceeds what a move costs (`measured_line`). Within a run, who is done helps
/// its neighbours on the line, so that a worker which was kept from running holds up nobody.
///
///   balanced_loop cells(rt, 0, n);
///   cells.run([&](int first, int last) { ... });   // first touch, then every step
///
/// Several bodies share one partition: each is timed by itself, and counts by how often it runs.
/// A run has a task for each worker: it costs microseconds, so loops of less are better a
/// parallel_for. Runs of one loop exclude one another; all else may be called between two runs. The
/// runtime must outlive it. Any thread may call, inside or outside of tasks.
template <rule::integers_or_blocks Domain>
class balanced_loop {
 public:
  /// Items [first, last); none if the end is before the beginning. Throws std::invalid_argument for
  /// a negative bound beside an unsigned one.
  template <std::integral First, std::integral Last>
    requires std::integral<Domain>
  balanced_loop(runtime& rt, First first, Last last)
      : items_(detail::bound_as<Domain>(first, "balanced_loop"),
               detail::bound_as<Domain>(last, "balanced_loop")),
        run_(rt, items_.size()) {}
  /// The blocks of a blocked_range of one to three dimensions, row by row.
  balanced_loop(runtime& rt, const Domain& all)
    requires detail::is_blocked<Domain>::value
      : items_(all), run_(rt, items_.size()) {}

  balanced_loop(const balanced_loop&) = delete;
  balanced_loop& operator=(const balanced_loop&) = delete;
  ~balanced_loop() = default;

  /// Calls `body(first, last)` for consecutive parts of the blocks, or `body(item)` for every item;
  /// where body takes either, the latter. Throws the first exception of a body: then parts that had
  /// not begun are left out, and nothing is learned from the run. Throws evencube::error if a run
  /// of this loop is under way, and what `runtime::run` throws.
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

  /// Combines `body(item)`, or `body(first, last)`, of all items with `init`, in their order. The
  /// grouping depends on the number of items and `grain` alone, so that the result has the same
  /// bits in every run and for any number of workers: parts of `grain` items (0: so that there are
  /// at most 2048) one by one, then these from left to right. Throws as `run`.
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
    for (std::optional<Value>& value : values) init = combine(std::move(init), *std::move(value));
    return init;
  }

  /// Other items: blocks keep their shares of the whole, and what was learned stays. Throws as the
  /// constructor, and evencube::error in a run.
  template <std::integral First, std::integral Last>
    requires std::integral<Domain>
  void resize(First first, Last last) {
    const detail::loop_items<Domain> items(detail::bound_as<Domain>(first, "balanced_loop"),
                                           detail::bound_as<Domain>(last, "balanced_loop"));
    run_.resize(items.size());
    items_ = items;
  }
  void resize(const Domain& all)
    requires(detail::is_blocked<Domain>::value)
  {
    const detail::loop_items<Domain> items(all);
    run_.resize(items.size());
    items_ = items;
  }

  /// Items [first, last), counted from 0, and the worker whose they are.
  struct block {
    std::uint64_t first;
    std::uint64_t last;
    unsigned worker;
  };
  /// The blocks in the order of the items, one for each worker, for programs that lay out their
  /// data by them: those of the run that was last begun.
  [[nodiscard]] std::vector<block> partition() const {
    std::vector<block> all;
    for (std::size_t p = 0; p < run_.line().positions(); ++p) {
      all.push_back({run_.line().bounds()[p], run_.line().bounds()[p + 1], run_.worker_at(p)});
    }
    return all;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return items_.size(); }
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
        value = combine(std::move(value), body(items_[i]));
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
