#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/algorithms.hpp>
#include <evencube/evencube.hpp>

/// oneTBB's names and meanings on EvenCube: a program that includes this in place of <tbb/tbb.h>,
/// or the parts of that, and says `namespace tbb = evencube::tbb;` (or includes
/// <evencube/interop/as_tbb.hpp>, which says it) runs on EvenCube. What there is and where it
/// differs stands in docs/coming-from-tbb.md; what there is not does not compile.
///
/// Calls of threads that are no workers run on a runtime of their own, `default_runtime`, those of
/// tasks on the runtime that they belong to.
namespace evencube::tbb {

// ------------------------------------------------------------------------------------- threads

namespace detail {

/// What `global_control` says of the default runtime; the runtime, once somebody has needed it.
struct defaults {
  std::mutex lock;  // guards all that follows
  std::vector<std::size_t> limits;
  std::unique_ptr<runtime> made;
};
inline defaults& the_defaults() {
  static defaults all;
  return all;
}

}  // namespace detail

/// The runtime of calls from outside: made when it is first needed, with a worker for each core or
/// as many as the `global_control`s then alive allow, and ended with the program. Throws what
/// making a runtime throws.
inline runtime& default_runtime() {
  detail::defaults& all = detail::the_defaults();
  const std::lock_guard lock(all.lock);
  if (all.made == nullptr) {
    const auto fewest = std::min_element(all.limits.begin(), all.limits.end());
    runtime_options options;
    if (fewest != all.limits.end()) options.workers = static_cast<unsigned>(*fewest);
    all.made = std::make_unique<runtime>(options);
  }
  return *all.made;
}

/// Of its parameters `max_allowed_parallelism`: how many workers the default runtime is made with.
/// Throws std::invalid_argument for a limit that no runtime can have, and std::logic_error for one
/// below the workers of a default runtime that has been made already, for it keeps them.
class global_control {
 public:
  enum parameter { max_allowed_parallelism };

  global_control(parameter, std::size_t value) : value_(value) {
    if (value == 0 || value > runtime_options::max_workers) {
      throw std::invalid_argument("global_control: max_allowed_parallelism " +
                                  std::to_string(value) + " is not allowed; 1 to " +
                                  std::to_string(runtime_options::max_workers));
    }
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    if (all.made != nullptr && value < all.made->workers()) {
      throw std::logic_error("global_control: the default runtime has been made with " +
                             std::to_string(all.made->workers()) +
                             " workers and keeps them; limit it before its first use");
    }
    all.limits.push_back(value);
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;
  ~global_control() {
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    all.limits.erase(std::find(all.limits.begin(), all.limits.end(), value_));
  }

  static std::size_t active_value(parameter) {
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    if (all.made != nullptr) return all.made->workers();
    const auto fewest = std::min_element(all.limits.begin(), all.limits.end());
    return fewest != all.limits.end() ? *fewest : std::max(1U, std::thread::hardware_concurrency());
  }

 private:
  std::size_t value_;
};

namespace this_task_arena {

inline constexpr int not_initialized = -2;

[[nodiscard]] inline int current_thread_index() noexcept {
  const auto worker = this_task::worker();
  return worker ? static_cast<int>(*worker) : not_initialized;
}
[[nodiscard]] inline int max_concurrency() {
  return static_cast<int>(this_task::runtime() != nullptr ? this_task::workers()
                                                          : default_runtime().workers());
}
/// A wait in EvenCube runs nothing but what it waits for, isolated or not.
template <typename F>
auto isolate(const F& f) -> decltype(f()) {
  return f();
}

}  // namespace this_task_arena

namespace detail {

/// f() in a task: the calling one, or one of the default runtime.
template <typename F>
decltype(auto) inside(const F& f) {
  return this_task::runtime() != nullptr ? f() : default_runtime().run(f);
}

}  // namespace detail

// -------------------------------------------------------------------------------------- ranges

struct split {};

/// Parts that are to be as large, one beside the other, as these numbers.
class proportional_split {
 public:
  proportional_split(std::size_t left = 1, std::size_t right = 1) : left_(left), right_(right) {}
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  [[nodiscard]] std::size_t right() const noexcept { return right_; }
  explicit operator split() const { return {}; }

 private:
  std::size_t left_;
  std::size_t right_;
};

/// [begin, end) of integers, iterators or pointers, divisible down to the grain.
template <typename Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;
  static constexpr bool is_splittable_in_proportion = true;

  /// Throws std::invalid_argument for a grain of 0.
  blocked_range(Value begin, Value end, size_type grainsize = 1)
      : begin_(begin), end_(end), grainsize_(grainsize) {
    if (grainsize == 0)
      throw std::invalid_argument("blocked_range: the grain size is 0; at least 1");
  }
  /// Takes the right half, and leaves `r` the left one.
  blocked_range(blocked_range& r, split) : blocked_range(r, proportional_split()) {}
  blocked_range(blocked_range& r, const proportional_split& as)
      : begin_(r.begin_), end_(r.end_), grainsize_(r.grainsize_) {
    const size_type right = r.size() * as.right() / (as.left() + as.right());
    begin_ = r.end_ = static_cast<Value>(r.begin_ + static_cast<difference>(r.size() - right));
  }

  [[nodiscard]] const_iterator begin() const { return begin_; }
  [[nodiscard]] const_iterator end() const { return end_; }
  [[nodiscard]] size_type size() const { return static_cast<size_type>(end_ - begin_); }
  [[nodiscard]] size_type grainsize() const { return grainsize_; }
  [[nodiscard]] bool empty() const { return !(begin_ < end_); }
  [[nodiscard]] bool is_divisible() const { return grainsize_ < size(); }

 private:
  using difference = decltype(std::declval<Value>() - std::declval<Value>());
  Value begin_;
  Value end_;
  size_type grainsize_;
};

namespace detail {

/// Of several dimensions the one that is longest in grains is halved.
template <typename A, typename B>
bool longer(const blocked_range<A>& a, const blocked_range<B>& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.grainsize()) >
         static_cast<double>(b.size()) * static_cast<double>(a.grainsize());
}

}  // namespace detail

template <typename Row, typename Column = Row>
class blocked_range2d {
 public:
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;

  blocked_range2d(Row row_begin, Row row_end, std::size_t row_grain, Column column_begin,
                  Column column_end, std::size_t column_grain)
      : rows_(row_begin, row_end, row_grain), columns_(column_begin, column_end, column_grain) {}
  blocked_range2d(Row row_begin, Row row_end, Column column_begin, Column column_end)
      : rows_(row_begin, row_end), columns_(column_begin, column_end) {}
  blocked_range2d(blocked_range2d& r, split by) : rows_(r.rows_), columns_(r.columns_) {
    if (r.columns_.is_divisible() &&
        (!r.rows_.is_divisible() || !detail::longer(r.rows_, r.columns_))) {
      columns_ = col_range_type(r.columns_, by);
    } else {
      rows_ = row_range_type(r.rows_, by);
    }
  }

  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return columns_; }
  [[nodiscard]] bool empty() const { return rows_.empty() || columns_.empty(); }
  [[nodiscard]] bool is_divisible() const {
    return rows_.is_divisible() || columns_.is_divisible();
  }

 private:
  row_range_type rows_;
  col_range_type columns_;
};

template <typename Page, typename Row = Page, typename Column = Row>
class blocked_range3d {
 public:
  using page_range_type = blocked_range<Page>;
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;

  blocked_range3d(Page page_begin, Page page_end, std::size_t page_grain, Row row_begin,
                  Row row_end, std::size_t row_grain, Column column_begin, Column column_end,
                  std::size_t column_grain)
      : pages_(page_begin, page_end, page_grain),
        rows_(row_begin, row_end, row_grain),
        columns_(column_begin, column_end, column_grain) {}
  blocked_range3d(Page page_begin, Page page_end, Row row_begin, Row row_end, Column column_begin,
                  Column column_end)
      : pages_(page_begin, page_end),
        rows_(row_begin, row_end),
        columns_(column_begin, column_end) {}
  blocked_range3d(blocked_range3d& r, split by)
      : pages_(r.pages_), rows_(r.rows_), columns_(r.columns_) {
    const bool rows_first = r.rows_.is_divisible() &&
                            (!r.columns_.is_divisible() || detail::longer(r.rows_, r.columns_));
    const bool pages_first =
        r.pages_.is_divisible() &&
        (rows_first ? detail::longer(r.pages_, r.rows_)
                    : !r.columns_.is_divisible() || detail::longer(r.pages_, r.columns_));
    if (pages_first) {
      pages_ = page_range_type(r.pages_, by);
    } else if (rows_first) {
      rows_ = row_range_type(r.rows_, by);
    } else {
      columns_ = col_range_type(r.columns_, by);
    }
  }

  [[nodiscard]] const page_range_type& pages() const { return pages_; }
  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return columns_; }
  [[nodiscard]] bool empty() const { return pages_.empty() || rows_.empty() || columns_.empty(); }
  [[nodiscard]] bool is_divisible() const {
    return pages_.is_divisible() || rows_.is_divisible() || columns_.is_divisible();
  }

 private:
  page_range_type pages_;
  row_range_type rows_;
  col_range_type columns_;
};

// ------------------------------------------------------------------- partitioners, cancellation

/// How far a range is split: to its grain.
struct simple_partitioner {};
/// As far as workers can use; the default.
struct auto_partitioner {};
/// A part for each worker.
struct static_partitioner {};
/// As auto_partitioner: where the same loop runs again and again, `balanced_loop` is what EvenCube
/// has for it.
struct affinity_partitioner {};

/// Cancels the algorithms that it was given to: their bodies that have not begun are left out.
class task_group_context {
 public:
  task_group_context() = default;
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  /// Whether it was this call that cancelled.
  bool cancel_group_execution() noexcept {
    return !cancelled_.exchange(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_group_execution_cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed);
  }
  /// When nothing runs that it was given to.
  void reset() noexcept { cancelled_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

namespace detail {

template <typename P>
concept partitioner = std::same_as<std::remove_cvref_t<P>, simple_partitioner> ||
    std::same_as<std::remove_cvref_t<P>, auto_partitioner> ||
    std::same_as<std::remove_cvref_t<P>, static_partitioner> ||
    std::same_as<std::remove_cvref_t<P>, affinity_partitioner>;

/// Into how many parts a range is split, at most.
template <partitioner P>
std::size_t parts(const P&) {
  if constexpr (std::same_as<P, simple_partitioner>) return static_cast<std::size_t>(-1);
  const std::size_t workers = this_task::workers();
  return std::same_as<P, static_partitioner> ? workers : 16 * workers;
}

/// One call of an algorithm. An exception of a body cancels the bodies that have not begun. All
/// that is read here is a hint, so relaxed: results and exceptions travel by the joins.
class call {
 public:
  explicit call(const task_group_context* context) : context_(context) {}
  [[nodiscard]] bool cancelled() const noexcept {
    return failed_.load(std::memory_order_relaxed) ||
           (context_ != nullptr && context_->is_group_execution_cancelled());
  }
  template <typename F>
  void run(const F& body) {
    if (cancelled()) return;
    try {
      body();
    } catch (...) {
      failed_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

 private:
  const task_group_context* context_;
  std::atomic<bool> failed_{false};
};

/// Splits the range and calls `leaf(part)` for its parts, in halves of forks.
template <typename Range, typename Leaf>
void for_parts(call& of, Range& range, std::size_t parts, const Leaf& leaf) {
  if (parts < 2 || !range.is_divisible() || of.cancelled()) {
    of.run([&] { leaf(range); });
    return;
  }
  Range right(range, split());
  evencube::fork_join([&] { for_parts(of, range, parts - parts / 2, leaf); },
                      [&] { for_parts(of, right, parts / 2, leaf); });
}

template <typename Range, typename Body>
void reduce_parts(call& of, Range& range, std::size_t parts, Body& body) {
  if (parts < 2 || !range.is_divisible() || of.cancelled()) {
    of.run([&] { body(range); });
    return;
  }
  Range right(range, split());
  Body other(body, split());
  evencube::fork_join([&] { reduce_parts(of, range, parts - parts / 2, body); },
                      [&] { reduce_parts(of, right, parts / 2, other); });
  of.run([&] { body.join(other); });
}

template <typename Value, typename Range, typename Function, typename Reduction>
struct function_body {
  function_body(const Value& identity, const Function& f, const Reduction& r)
      : value(identity), none(identity), function(f), reduction(r) {}
  function_body(function_body& other, split)
      : function_body(other.none, other.function, other.reduction) {}
  void operator()(Range& range) { value = function(range, std::as_const(value)); }
  void join(function_body& right) { value = reduction(value, std::as_const(right.value)); }

  Value value;
  const Value& none;
  const Function& function;
  const Reduction& reduction;
};

}  // namespace detail

// -------------------------------------------------------------------------------------- loops

/// body(part) for parts of the range.
template <typename Range, typename Body, detail::partitioner P = auto_partitioner>
requires requires(Range& range) { range.is_divisible(); }
void parallel_for(const Range& range, const Body& body, const P& by = {},
                  const task_group_context* context = nullptr) {
  if (range.empty()) return;
  detail::inside([&] {
    detail::call of(context);
    Range all(range);
    detail::for_parts(of, all, detail::parts(by), body);
  });
}
template <typename Range, typename Body, detail::partitioner P>
requires requires(Range& range) { range.is_divisible(); }
void parallel_for(const Range& range, const Body& body, const P& by, task_group_context& context) {
  tbb::parallel_for(range, body, by, &context);
}
template <typename Range, typename Body>
requires requires(Range& range) { range.is_divisible(); }
void parallel_for(const Range& range, const Body& body, task_group_context& context) {
  tbb::parallel_for(range, body, auto_partitioner(), &context);
}

/// function(i) for first, first + step and so on, below last. Throws std::invalid_argument for a
/// step that is not positive.
template <std::integral Index, typename Function, detail::partitioner P = auto_partitioner>
void parallel_for(Index first, Index last, Index step, const Function& function, const P& by = {},
                  const task_group_context* context = nullptr) {
  if (step <= 0) throw std::invalid_argument("parallel_for: the step is not positive");
  if (!(first < last)) return;
  // Without a sign: the distance may be more than Index can say.
  const std::size_t distance = static_cast<std::size_t>(last) - static_cast<std::size_t>(first);
  const std::size_t count = (distance - 1) / static_cast<std::size_t>(step) + 1;
  tbb::parallel_for(
      blocked_range<std::size_t>(0, count),
      [&](const blocked_range<std::size_t>& part) {
        for (std::size_t k = part.begin(); k < part.end(); ++k) {
          function(static_cast<Index>(static_cast<std::size_t>(first) +
                                      k * static_cast<std::size_t>(step)));
        }
      },
      by, context);
}
template <std::integral Index, typename Function, detail::partitioner P = auto_partitioner>
void parallel_for(Index first, Index last, const Function& function, const P& by = {},
                  const task_group_context* context = nullptr) {
  tbb::parallel_for(first, last, Index{1}, function, by, context);
}
template <std::integral Index, typename Function>
void parallel_for(Index first, Index last, const Function& function, task_group_context& context) {
  tbb::parallel_for(first, last, Index{1}, function, auto_partitioner(), &context);
}

/// body(part) for parts of the range; bodies are split as the range is, and joined from the right.
template <typename Range, typename Body, detail::partitioner P = auto_partitioner>
requires requires(Body& body) { body.join(body); }
void parallel_reduce(const Range& range, Body& body, const P& by = {},
                     const task_group_context* context = nullptr) {
  if (range.empty()) return;
  detail::inside([&] {
    detail::call of(context);
    Range all(range);
    detail::reduce_parts(of, all, detail::parts(by), body);
  });
}

/// function(part, value) folds a part into a value, reduction(left, right) two values into one.
template <typename Range, typename Value, typename Function, typename Reduction,
          detail::partitioner P = auto_partitioner>
[[nodiscard]] Value parallel_reduce(const Range& range, const Value& identity,
                                    const Function& function, const Reduction& reduction,
                                    const P& by = {}, const task_group_context* context = nullptr) {
  detail::function_body<Value, Range, Function, Reduction> body(identity, function, reduction);
  tbb::parallel_reduce(range, body, by, context);
  return std::move(body.value);
}

/// The same grouping for any number of workers: the range is split to its grain.
template <typename Range, typename Body>
requires requires(Body& body) { body.join(body); }
void parallel_deterministic_reduce(const Range& range, Body& body,
                                   const simple_partitioner& by = {}) {
  tbb::parallel_reduce(range, body, by);
}
template <typename Range, typename Value, typename Function, typename Reduction>
[[nodiscard]] Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                                  const Function& function,
                                                  const Reduction& reduction,
                                                  const simple_partitioner& by = {}) {
  return tbb::parallel_reduce(range, identity, function, reduction, by);
}

// ---------------------------------------------------------------------------------------- scan

struct pre_scan_tag {
  static constexpr bool is_final_scan() { return false; }
  explicit(false) operator bool() const { return false; }
};
struct final_scan_tag {
  static constexpr bool is_final_scan() { return true; }
  explicit(false) operator bool() const { return true; }
};

namespace detail {

template <typename Value, typename Range, typename Scan, typename Combine>
struct scan_body {
  scan_body(const Value& identity, const Scan& f, const Combine& c)
      : value(identity), none(identity), scan(f), combine(c) {}
  scan_body(scan_body& other, split) : scan_body(other.none, other.scan, other.combine) {}
  template <typename Tag>
  void operator()(const Range& range, Tag) {
    value = scan(range, std::as_const(value), Tag::is_final_scan());
  }
  void reverse_join(scan_body& left) { value = combine(std::as_const(left.value), value); }
  void assign(scan_body& other) { value = other.value; }

  Value value;
  const Value& none;
  const Scan& scan;
  const Combine& combine;
};

/// The parts of a range in their order.
template <typename Range>
void collect_parts(Range range, std::size_t parts, std::vector<Range>& into) {
  if (parts < 2 || !range.is_divisible()) {
    into.push_back(range);
    return;
  }
  Range right(range, split());
  collect_parts(range, parts - parts / 2, into);
  collect_parts(right, parts / 2, into);
}

}  // namespace detail

/// Every part is looked at twice, but the first: for its sum, and when what lies before it is
/// known.
template <typename Range, typename Body, detail::partitioner P = auto_partitioner>
requires requires(Body& body) { body.reverse_join(body); }
void parallel_scan(const Range& range, Body& body, const P& by = {}) {
  if (range.empty()) return;
  detail::inside([&] {
    const std::size_t workers = this_task::workers();
    std::vector<Range> parts;
    detail::collect_parts(range, workers == 1 ? 1 : std::min(detail::parts(by), 4 * workers),
                          parts);
    const std::size_t n = parts.size();
    // sums[i]: of part i, then of all parts up to it; the first is the caller's body.
    std::vector<std::unique_ptr<Body>> others;
    for (std::size_t i = 1; i < n; ++i) others.push_back(std::make_unique<Body>(body, split()));
    const auto sums = [&](std::size_t i) -> Body& { return i == 0 ? body : *others[i - 1]; };
    evencube::parallel_for(std::size_t{0}, n,
                           [&](std::size_t i) {
                             if (i == 0) {
                               body(parts[0], final_scan_tag());
                             } else if (i + 1 < n) {
                               sums(i)(parts[i], pre_scan_tag());
                             }
                           },
                           {.grain = 1});
    for (std::size_t i = 1; i + 1 < n; ++i) sums(i).reverse_join(sums(i - 1));
    std::vector<std::unique_ptr<Body>> finals(n);
    for (std::size_t i = 1; i < n; ++i) {
      finals[i] = std::make_unique<Body>(body, split());
      finals[i]->assign(sums(i - 1));
    }
    evencube::parallel_for(std::size_t{1}, n,
                           [&](std::size_t i) { (*finals[i])(parts[i], final_scan_tag()); },
                           {.grain = 1});
    if (n > 1) body.assign(*finals[n - 1]);
  });
}

/// scan(part, sum, is_final) gives the sum behind the part; the result is that of all.
template <typename Range, typename Value, typename Scan, typename Combine,
          detail::partitioner P = auto_partitioner>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const Combine& combine, const P& by = {}) {
  detail::scan_body<Value, Range, Scan, Combine> body(identity, scan, combine);
  tbb::parallel_scan(range, body, by);
  return std::move(body.value);
}

// ------------------------------------------------------------------- sort, invoke, for_each

template <typename Iterator, typename Compare = std::less<>>
requires std::random_access_iterator<Iterator>
void parallel_sort(Iterator first, Iterator last, const Compare& compare = {}) {
  detail::inside([&] { evencube::parallel_sort(first, last, compare); });
}
template <typename Range, typename Compare = std::less<>>
requires requires(Range& range) { std::begin(range); }
void parallel_sort(Range&& range, const Compare& compare = {}) {
  tbb::parallel_sort(std::begin(range), std::end(range), compare);
}

template <typename... Functions>
requires(sizeof...(Functions) >= 2) void parallel_invoke(const Functions&... functions) {
  detail::inside([&] {
    static_cast<void>(evencube::parallel_invoke([&] { static_cast<void>(functions()); }...));
  });
}

template <typename Item>
using feeder = evencube::feeder<Item>;

template <typename Iterator, typename Body>
requires std::input_iterator<Iterator>
void parallel_for_each(Iterator first, Iterator last, const Body& body) {
  detail::inside([&] { evencube::parallel_for_each(first, last, body); });
}
template <typename Range, typename Body>
requires requires(Range& range) { std::begin(range); }
void parallel_for_each(Range&& range, const Body& body) {
  tbb::parallel_for_each(std::begin(range), std::end(range), body);
}

// -------------------------------------------------------------------------------------- groups

enum task_group_status { not_complete, complete, canceled };

/// Made in a task it is waited for by that task; outside any thread may use it.
class task_group {
 public:
  task_group() { renew(); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  ~task_group() = default;

  template <typename F>
  void run(F&& f) {
    group_->spawn(std::forward<F>(f));
  }
  /// Throws the first exception of its tasks. A group that was cancelled can be used again then.
  task_group_status wait() {
    struct renewal {
      task_group& of;
      ~renewal() {
        if (of.group_->stop_requested()) of.renew();
      }
    } const after{*this};
    return group_->wait() == wait_status::stopped ? canceled : complete;
  }
  template <typename F>
  task_group_status run_and_wait(const F& f) {
    run([&f] { f(); });
    return wait();
  }
  void cancel() noexcept { group_->request_stop(); }

 private:
  void renew() {
    runtime* const here = this_task::runtime();
    group_.emplace(here != nullptr ? *here : default_runtime());
  }
  std::optional<evencube::task_group> group_;
};

/// Whether the calling task's group was cancelled.
[[nodiscard]] inline bool is_current_task_group_canceling() noexcept {
  return this_task::stop_requested();
}

// ------------------------------------------------------------------------- values of each thread

/// A value for each worker of the default runtime, and for every other thread that asks.
template <typename T>
class enumerable_thread_specific {
 public:
  using iterator = typename worker_local<T>::iterator;
  using const_iterator = typename worker_local<T>::const_iterator;
  using value_type = T;

  enumerable_thread_specific() requires std::default_initializable<T> : values_(default_runtime()) {
  }
  explicit enumerable_thread_specific(const T& exemplar) requires std::copy_constructible<T>
      : values_(default_runtime(), [exemplar] { return exemplar; }) {}
  template <typename Make>
  requires std::is_invocable_r_v<T, Make&> &&
      (!std::convertible_to<Make, T>)explicit enumerable_thread_specific(Make make)
      : values_(default_runtime(), std::move(make)) {}

  T& local() { return values_.local(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  iterator begin() { return values_.begin(); }
  iterator end() { return values_.end(); }
  const_iterator begin() const { return values_.begin(); }
  const_iterator end() const { return values_.end(); }
  template <typename F>
  T combine(const F& f) {
    return std::as_const(values_).combine([&](T a, const T& b) { return f(a, b); });
  }
  template <typename F>
  void combine_each(const F& f) {
    for (T& value : *this) f(value);
  }
  void clear() { values_.clear(); }

 private:
  worker_local<T> values_;
};

template <typename T>
using combinable = enumerable_thread_specific<T>;

namespace info {
[[nodiscard]] inline int default_concurrency() {
  return static_cast<int>(global_control::active_value(global_control::max_allowed_parallelism));
}
}  // namespace info

}  // namespace evencube::tbb
