#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/parallel_for_elements.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// What the body of a parallel_for_each adds more items by. Any thread that runs one of its calls
/// may use it, as long as the call lasts.
template <typename Item>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  /// One more call of the body, for `item`. Throws as `task_group::spawn` does.
  void add(Item item) { add_(*this, std::move(item)); }

 protected:
  using adder = void (*)(feeder&, Item&&);
  explicit feeder(adder by) noexcept : add_(by) {}
  ~feeder() = default;

 private:
  adder add_;
};

namespace rule {

/// The body takes an element as the iterator gives it, and where that can be passed once only also
/// as an lvalue: it is kept until its call.
template <typename Body, typename Iterator>
concept callable_with_each_element =
    callable_with_the_element<Body, Iterator> &&
    (std::forward_iterator<Iterator> ||
     requires(const Body& body, std::iter_value_t<Iterator>& item) { body(item); });

/// The body takes an element, or an element and a feeder to add more by.
template <typename Body, typename Iterator>
concept callable_with_the_element_and_a_feeder =
    requires(const Body& body, Iterator& i, feeder<std::iter_value_t<Iterator>>& feed,
             std::iter_value_t<Iterator>& item) {
      body(*i, feed);
      body(item, feed);
    };

}  // namespace rule

namespace detail {

/// One parallel_for_each under way: its items are tasks of one group, which is not a task_group,
/// because it is part of a task that goes on where groups above it are stopped.
template <typename Item, typename Body, bool Feeds>
class feeding final : public feeder<Item> {
 public:
  feeding(const Body& body, worker& by)
      : feeder<Item>(&add_item), body_(body), by_(by), group_(by.workers(), &by) {}

  /// Calls the body unless one has failed.
  template <typename Element>
  void call(Element&& element) {
    if (group_.failure().present()) return;
    try {
      if constexpr (Feeds) {
        body_(std::forward<Element>(element), static_cast<feeder<Item>&>(*this));
      } else {
        body_(std::forward<Element>(element));
      }
    } catch (...) {
      keep_failure();
      throw;
    }
  }

  template <typename Iterator>
  void spawn(const Iterator& at) {
    if constexpr (std::forward_iterator<Iterator>) {
      detail::spawn_into(group_, [this, at] { call(*at); }, {});
    } else {
      add_item(*this, Item(*at));
    }
  }
  /// What has not been called is in vain. Call from a handler.
  void keep_failure() noexcept { group_.failure().keep(); }
  /// There is no destructor that waits. Throws what was kept.
  void wait() {
    group_.wait(&by_);
    group_.failure().rethrow();
  }

 private:
  static void add_item(feeder<Item>& to, Item&& item) {
    auto& self = static_cast<feeding&>(to);
    detail::spawn_into(self.group_, [&self, own = std::move(item)]() mutable { self.call(own); },
                       {});
  }

  const Body& body_;
  worker& by_;
  group_core group_;
};

}  // namespace detail

/// Calls `body(element)`, or `body(element, feed)`, for every element of [first, last), in
/// parallel, and for every item that calls add by `feed.add(item)`; returns when all have ended.
/// Fed items have the value type and are given to the body as lvalues. Any iterators: where they
/// have random access and a distance it is a parallel_for; else every element is a task, and what
/// single-pass iterators give is kept in it.
///
/// If calls throw, one of the exceptions is thrown after all calls that began have ended; the
/// others may not happen. As with any loop, the calls are part of the caller's task: they happen
/// though a group above it has been stopped. Throws evencube::error outside of a runtime's tasks,
/// std::bad_alloc.
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel, typename Body>
  requires rule::callable_with_each_element<Body, Iterator> ||
           rule::callable_with_the_element_and_a_feeder<Body, Iterator>
void parallel_for_each(Iterator first, Sentinel last, const Body& body) {
  constexpr bool feeds = rule::callable_with_the_element_and_a_feeder<Body, Iterator>;
  constexpr bool random_access =
      std::random_access_iterator<Iterator> && std::sized_sentinel_for<Sentinel, Iterator>;
  if constexpr (random_access && !feeds) {
    evencube::parallel_for(first, last, body);
  } else {
    detail::feeding<std::iter_value_t<Iterator>, Body, feeds> loop(
        body, detail::worker_here("parallel_for_each"));
    try {
      if constexpr (random_access) {
        evencube::parallel_for(first, last, [&](auto&& element) {
          loop.call(std::forward<decltype(element)>(element));
        });
      } else {
        for (; first != last; ++first) loop.spawn(first);
      }
    } catch (...) {
      loop.keep_failure();
    }
    loop.wait();
  }
}

/// The same over a range.
template <rule::range_of_elements Range, typename Body>
  requires rule::callable_with_each_element<Body, detail::iterator_of<Range>> ||
           rule::callable_with_the_element_and_a_feeder<Body, detail::iterator_of<Range>>
void parallel_for_each(Range&& range, const Body& body) {
  evencube::parallel_for_each(std::begin(range), std::end(range), body);
}

/// The same as a task of `rt`: from any thread.
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel, typename Body>
  requires rule::callable_with_each_element<Body, Iterator> ||
           rule::callable_with_the_element_and_a_feeder<Body, Iterator>
void parallel_for_each(runtime& rt, Iterator first, Sentinel last, const Body& body) {
  detail::call_on(rt, [&] { evencube::parallel_for_each(std::move(first), last, body); });
}
template <rule::range_of_elements Range, typename Body>
  requires rule::callable_with_each_element<Body, detail::iterator_of<Range>> ||
           rule::callable_with_the_element_and_a_feeder<Body, detail::iterator_of<Range>>
void parallel_for_each(runtime& rt, Range&& range, const Body& body) {
  detail::call_on(rt,
                  [&] { evencube::parallel_for_each(std::begin(range), std::end(range), body); });
}

}  // namespace evencube
