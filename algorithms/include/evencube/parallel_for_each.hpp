#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include <evencube/detail/elements.hpp>
#include <evencube/detail/watched_loop.hpp>
#include <evencube/parallel_for_elements.hpp>
#include <evencube/task_group.hpp>
#include <evencube/where.hpp>

namespace evencube {

/// The object through which the body of a `parallel_for_each` adds items. Only a thread that
/// calls the body may use the feeder, and only until its call returns.
template <typename Item>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  /// Adds `item`, for which the body is then called. Throws the exceptions of `task_group::spawn`.
  void add(Item item) { add_(*this, std::move(item)); }

 protected:
  using adder = void (*)(feeder&, Item&&);
  explicit feeder(adder adds) noexcept : add_(adds) {}
  ~feeder() = default;

 private:
  adder add_;
};

namespace rule {

/// The body takes a dereferenced iterator, or the projection's result for it. For single-pass
/// iterators the body must also accept an lvalue, because each element is stored until its call.
template <typename Body, typename Iterator, typename Projection = std::identity>
concept callable_with_each_element =
    requires(const Body& body, const Projection& projection, Iterator& i) {
      std::invoke(body, std::invoke(projection, *i));
    } &&
    (std::forward_iterator<Iterator> || requires(const Body& body, const Projection& projection,
                                                 std::iter_value_t<Iterator>& element) {
      std::invoke(body, std::invoke(projection, element));
    });

/// The body takes an element and a feeder that adds more items.
template <typename Body, typename Iterator>
concept callable_with_the_element_and_a_feeder =
    std::invocable<const Body&, std::iter_reference_t<Iterator>,
                   feeder<std::iter_value_t<Iterator>>&> &&
    std::invocable<const Body&, std::iter_value_t<Iterator>&, feeder<std::iter_value_t<Iterator>>&>;

}  // namespace rule

namespace detail {

/// A running `parallel_for_each`. Its items are tasks of one group. The group is not a task_group,
/// because the loop is part of a task, which continues even when groups above it are stopped.
template <typename Item, typename Body, bool Feeds>
class feeding final : public feeder<Item> {
 public:
  feeding(const Body& body, worker& caller)
      : feeder<Item>(&add_item), body_(body), caller_(caller), group_(caller.workers(), &caller) {}

  /// Calls the body unless an earlier call has failed.
  template <typename Element>
  void call(Element&& element) {
    if (group_.failure().present()) return;
    try {
      if constexpr (Feeds) {
        std::invoke(body_, std::forward<Element>(element), static_cast<feeder<Item>&>(*this));
      } else {
        std::invoke(body_, std::forward<Element>(element));
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
  /// Stores the current exception; calls that have not begun are then skipped. Call this from an
  /// exception handler.
  void keep_failure() noexcept { group_.failure().keep(); }
  /// Waits for all items and throws the stored exception, if any. The destructor does not wait.
  void wait() {
    group_.wait(&caller_);
    group_.failure().rethrow();
  }

 private:
  static void add_item(feeder<Item>& to, Item&& item) {
    auto& self = static_cast<feeding&>(to);
    detail::spawn_into(self.group_, [&self, own = std::move(item)]() mutable { self.call(own); },
                       {});
  }

  const Body& body_;
  worker& caller_;
  group_core group_;
};

/// Calls the body with the projection's result for an element.
template <typename Body, typename Projection>
struct projected_body {
  template <typename Element>
  void operator()(Element&& element) const {
    std::invoke(body, std::invoke(projection, std::forward<Element>(element)));
  }

  const Body& body;
  const Projection& projection;
};

}  // namespace detail

/// Calls `body(element)`, or `body(element, feed)`, for every element of [first, last) in parallel,
/// and for every item that the body adds with `feed.add(item)`. With a projection and without a
/// feeder, calls `body(projection(element))`, as std::ranges::for_each does. Returns when all calls
/// have ended. Added items have the iterator's value type and are passed to the body as lvalues.
/// The body may be a pointer to a member of the elements. The iterators may be of any kind. With
/// random-access iterators of known distance, the call is a `parallel_for`. Otherwise every element
/// becomes a task; if the iterator is single-pass, the task stores the element.
///
/// If calls throw, one of the exceptions is rethrown after all calls that began have ended; other
/// calls may be skipped. The calls are part of the caller's task, as in any loop, so they are made
/// even if a group above the task has been stopped. Throws evencube::error if called outside of a
/// runtime's tasks. May throw std::bad_alloc.
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel, typename Body,
          typename Projection = std::identity>
  requires rule::callable_with_each_element<Body, Iterator, Projection> ||
           (std::same_as<Projection, std::identity> &&
            rule::callable_with_the_element_and_a_feeder<Body, Iterator>)
void parallel_for_each(Iterator first, Sentinel last, const Body& body,
                       const Projection& projection = {}) {
  if constexpr (!std::same_as<Projection, std::identity>) {
    evencube::parallel_for_each(std::move(first), last,
                                detail::projected_body<Body, Projection>{body, projection});
    return;
  } else {
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
}

/// Like `parallel_for_each` with two iterators, but over the elements of a range.
template <rule::range_of_elements Range, typename Body, typename Projection = std::identity>
  requires rule::callable_with_each_element<Body, detail::iterator_of<Range>, Projection> ||
           (std::same_as<Projection, std::identity> &&
            rule::callable_with_the_element_and_a_feeder<Body, detail::iterator_of<Range>>)
void parallel_for_each(Range&& range, const Body& body, const Projection& projection = {}) {
  evencube::parallel_for_each(std::begin(range), std::end(range), body, projection);
}

/// Runs `parallel_for_each`, with or without a feeder, as specified by `where`, until its token
/// requests a stop. With a token, returns whether any calls of the body were skipped; otherwise
/// returns nothing. Single-pass iterators are always read to their end.
template <rule::says_where Where, std::input_iterator Iterator,
          std::sentinel_for<Iterator> Sentinel, typename Body, typename Projection = std::identity>
  requires rule::callable_with_each_element<Body, Iterator, Projection> ||
           (std::same_as<Projection, std::identity> &&
            rule::callable_with_the_element_and_a_feeder<Body, Iterator>)
[[nodiscard]] detail::outcome<Where> parallel_for_each(Where&& where, Iterator first, Sentinel last,
                                                       const Body& body,
                                                       const Projection& projection = {}) {
  if constexpr (!std::same_as<Projection, std::identity>) {
    return evencube::parallel_for_each(where, std::move(first), last,
                                       detail::projected_body<Body, Projection>{body, projection});
  } else {
    using feed_type = feeder<std::iter_value_t<Iterator>>;
    return detail::run_where(where, [&](const auto& until) {
      if constexpr (!detail::has_token<decltype(until)>) {
        evencube::parallel_for_each(std::move(first), last, body);
      } else if constexpr (rule::callable_with_the_element_and_a_feeder<Body, Iterator>) {
        return detail::until_stopped([&] {
          evencube::parallel_for_each(std::move(first), last, [&](auto&& element, feed_type& feed) {
            detail::ask(until);
            std::invoke(body, std::forward<decltype(element)>(element), feed);
          });
        });
      } else if constexpr (std::random_access_iterator<Iterator> &&
                           std::sized_sentinel_for<Sentinel, Iterator>) {
        return evencube::parallel_for(until, first, last, body);
      } else {
        return detail::until_stopped([&] {
          evencube::parallel_for_each(std::move(first), last, [&](auto&& element) {
            detail::ask(until);
            std::invoke(body, std::forward<decltype(element)>(element));
          });
        });
      }
    });
  }
}
/// Like `parallel_for_each` with `where` and two iterators, but over the elements of a range.
template <rule::says_where Where, rule::range_of_elements Range, typename Body,
          typename Projection = std::identity>
  requires rule::callable_with_each_element<Body, detail::iterator_of<Range>, Projection> ||
           (std::same_as<Projection, std::identity> &&
            rule::callable_with_the_element_and_a_feeder<Body, detail::iterator_of<Range>>)
[[nodiscard]] detail::outcome<Where> parallel_for_each(Where&& where, Range&& range,
                                                       const Body& body,
                                                       const Projection& projection = {}) {
  return evencube::parallel_for_each(where, std::begin(range), std::end(range), body, projection);
}

}  // namespace evencube
