#pragma once

// The algorithms, as far as random programs use them, one element after another.

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include "evencube.hpp"
#include "graphs.hpp"

namespace evencube {

template <typename Body>
  requires std::is_invocable_v<const Body&, int, int>
void parallel_for(int first, int last, const Body& body, const loop_options& = {}) {
  const int middle = first + (last - first) / 2;
  if (first < middle) body(first, middle);
  if (middle < last) body(middle, last);
}
template <typename Body>
void parallel_for(int first, int last, int stride, const Body& body, const loop_options& = {}) {
  for (int i = first; i < last; i += stride) body(i);
}

/// Iterations one after another until the token is asked to stop.
template <typename Body>
  requires std::is_invocable_v<const Body&, int>
wait_status parallel_for(const std::stop_token& token, int first, int last, const Body& body,
                         const loop_options& = {}) {
  for (int i = first; i < last; ++i) {
    if (token.stop_requested()) return wait_status::stopped;
    body(i);
  }
  return wait_status::completed;
}
template <typename Body>
  requires std::is_invocable_v<const Body&, int, int>
wait_status parallel_for(const std::stop_token& token, int first, int last, const Body& body,
                         const loop_options& = {}) {
  const auto both = [&](int i) { body(first + 2 * i, std::min(first + 2 * i + 2, last)); };
  return parallel_for(token, 0, (last - first + 1) / 2, both);
}
template <typename Body>
wait_status parallel_for_blocks(const std::stop_token& token, int first, int last, const Body& body,
                                const loop_options& options = {}) {
  return parallel_for(token, first, last, body, options);
}
template <typename Value, typename Body, typename Combine>
std::optional<Value> parallel_reduce(const std::stop_token& token, int first, int last, Value init,
                                     const Body& body, const Combine& combine,
                                     const loop_options& = {}) {
  const auto add = [&](int i) { init = combine(std::move(init), body(i)); };
  if (parallel_for(token, first, last, add) == wait_status::stopped) return std::nullopt;
  return init;
}

template <typename Item>
class feeder {
 public:
  void add(Item item) { items_.push_back(std::move(item)); }
  std::optional<Item> next() {
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::deque<Item> items_;
};

template <typename Range, typename Body>
wait_status parallel_for_each(const std::stop_token& token, const Range& items, const Body& body) {
  feeder<typename Range::value_type> all;
  for (const auto& item : items) all.add(item);
  while (auto item = all.next()) {
    if (token.stop_requested()) return wait_status::stopped;
    body(*item, all);
  }
  return wait_status::completed;
}
template <typename Range, typename Body>
void parallel_for_each(const Range& items, const Body& body) {
  static_cast<void>(parallel_for_each(std::stop_token(), items, body));
}

template <typename Range, typename Output, typename Function>
Output parallel_transform(const Range& range, Output out, const Function& f,
                          const loop_options& = {}) {
  return std::transform(range.begin(), range.end(), out, std::cref(f));
}

template <typename Value, typename Body, typename Combine>
Value parallel_deterministic_reduce(int first, int last, Value init, const Body& body,
                                    const Combine& combine, const loop_options& = {}) {
  return parallel_reduce(first, last, std::move(init), body, combine);
}

class balanced_loop {
 public:
  balanced_loop(runtime&, int first, int last) : first_(first), last_(last) {}
  template <typename Body>
  void run(const Body& body) const {
    parallel_for(first_, last_, body);
  }
  template <typename Body>
  void repeat(std::size_t sweeps, const Body& body) const {
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
      parallel_for(first_, last_, [&](int i) { body(sweep, i); });
    }
  }
  template <typename Value, typename Body, typename Combine>
  Value reduce(Value init, const Body& body, const Combine& combine, std::size_t = 0) const {
    return parallel_reduce(first_, last_, std::move(init), body, combine);
  }

 private:
  int first_;
  int last_;
};

template <typename F, typename G, typename H>
auto parallel_invoke(const F& f, const G& g, const H& h) {
  auto right = [&] { return fork_join(g, h); };
  auto [a, others] = fork_join(f, right);
  return std::tuple{std::move(a), std::move(others.first), std::move(others.second)};
}

template <typename Iterator, typename Output, typename Combine>
Output parallel_inclusive_scan(Iterator first, Iterator last, Output out, const Combine& combine) {
  for (Iterator i = first; i != last; ++i, ++out) {
    *out = i == first ? *i : combine(*std::prev(out), *i);
  }
  return out;
}

template <typename Iterator, typename Output, typename Value, typename Combine>
Output parallel_exclusive_scan(Iterator first, Iterator last, Output out, Value init,
                               const Combine& combine) {
  for (Iterator i = first; i != last; ++i, ++out) {
    Value before = std::exchange(init, combine(init, *i));
    *out = std::move(before);
  }
  return out;
}

template <typename Range, typename Compare>
void parallel_stable_sort(Range& range, const Compare& compare) {
  Range sorted = range;  // so that a comparison that throws loses nothing
  std::stable_sort(sorted.begin(), sorted.end(), compare);
  range = std::move(sorted);
}
template <typename Range, typename Compare>
void parallel_sort(Range& range, const Compare& compare) {
  parallel_stable_sort(range, compare);
}

/// A value for each thread.
template <typename T>
class worker_local {
 public:
  explicit worker_local(runtime&) {}
  T& local() {
    // Of their own: ids of threads are given again, and nothing orders those who had the same.
    static std::atomic<long> threads{0};
    static thread_local const long mine = threads.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    return values_[mine];
  }
  template <typename Op>
  T combine(const Op& op) const {
    T all{};
    for (const auto& [thread, value] : values_) all = op(all, value);
    return all;
  }

 private:
  std::mutex mutex_;
  std::map<long, T> values_;
};

template <typename Range, typename Predicate>
auto parallel_find_if(Range& range, const Predicate& predicate) {
  return std::find_if(range.begin(), range.end(), std::cref(predicate));
}
template <typename Range, typename Predicate>
auto parallel_find_if(const std::stop_token& token, Range& range, const Predicate& predicate)
    -> std::optional<decltype(range.begin())> {
  for (auto i = range.begin(); i != range.end(); ++i) {
    if (token.stop_requested()) return std::nullopt;
    if (predicate(*i)) return i;
  }
  return range.end();
}
template <typename Range, typename Predicate>
bool parallel_any_of(const Range& range, const Predicate& predicate) {
  return std::any_of(range.rbegin(), range.rend(), std::cref(predicate));
}

}  // namespace evencube
