#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/parallel_for.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/parallel_for_each.hpp>
#include <evencube/task_group.hpp>

namespace evencube::tbb {

template <typename Item>
using feeder = evencube::feeder<Item>;

namespace detail {

/// The item type of the feeder that a body with a single operator() takes.
template <typename Body, typename Taken, typename Item>
Item fed_by(void (Body::*)(Taken, feeder<Item>&) const);
template <typename Body, typename Taken, typename Item>
Item fed_by(void (Body::*)(Taken, feeder<Item>&) const noexcept);
template <typename Item>
Item fed_by(...);

template <typename Body, typename Value, typename = void>
struct fed {
  using type = Value;
};
template <typename Body, typename Value>
struct fed<Body, Value, std::void_t<decltype(detail::fed_by(&Body::operator()))>> {
  using type = decltype(detail::fed_by(&Body::operator()));
};

/// The type of the items that the body adds: the element type, or another type that elements
/// convert to.
template <typename Body, typename Element, typename Value>
using fed_type =
    typename std::conditional_t<std::is_invocable_v<const Body&, Element, feeder<Value>&> ||
                                    std::is_invocable_v<const Body&, Element>,
                                std::type_identity<Value>, fed<Body, Value>>::type;

/// A running `parallel_for_each`.
template <typename Body, typename Item>
class item_loop final : public feeder<Item> {
 public:
  item_loop(const Body& body, task_group_context* context)
      : feeder<Item>(&add_item), body_(body), call_(context) {}

  [[nodiscard]] call& calls() noexcept { return call_; }

  template <typename Element>
  void visit(Element&& element) {
    call_.run([&] {
      auto& feed = static_cast<feeder<Item>&>(*this);
      if constexpr (std::is_invocable_v<const Body&, Element, feeder<Item>&>) {
        body_(std::forward<Element>(element), feed);
      } else {
        static_cast<void>(body_(std::forward<Element>(element)));
      }
    });
  }
  /// Visits a copy of the value, in a task.
  template <typename Value>
  void spawn_value(Value&& value) {
    group_.spawn([this, own = std::forward<Value>(value)]() mutable { visit_own(own); });
  }
  template <typename Iterator>
  void spawn_at(const Iterator& at) {
    group_.spawn([this, at] { visit(*at); });
  }
  /// Waits for all items and throws the first exception.
  void wait() { group_.wait(); }

 private:
  template <typename Value>
  void visit_own(Value& value) {
    // As in oneTBB, the value is moved if the body accepts that, because copying may be expensive.
    if constexpr (std::is_invocable_v<const Body&, Value, feeder<Item>&> ||
                  std::is_invocable_v<const Body&, Value>) {
      visit(std::move(value));
    } else {
      visit(value);
    }
  }
  static void add_item(feeder<Item>& to, Item&& item) {
    static_cast<item_loop&>(to).spawn_value(std::move(item));
  }

  const Body& body_;
  call call_;
  evencube::task_group group_;
};

template <typename Iterator, typename Body>
void for_each_item(Iterator first, Iterator last, const Body& body, task_group_context* context) {
  using traits = std::iterator_traits<Iterator>;
  using category = typename traits::iterator_category;
  using value = typename traits::value_type;
  if (first == last) return;
  detail::inside([&] {
    item_loop<Body, fed_type<Body, decltype(*first), value>> loop(body, context);
    try {
      if constexpr (std::is_base_of_v<std::random_access_iterator_tag, category>) {
        blocked_range<std::size_t> all(0, static_cast<std::size_t>(last - first));
        detail::for_parts(loop.calls(), all, detail::division_by(auto_partitioner()),
                          [&](const blocked_range<std::size_t>& part) {
                            for (std::size_t i = part.begin(); i < part.end(); ++i) {
                              loop.visit(first[static_cast<typename traits::difference_type>(i)]);
                            }
                          });
      } else if constexpr (std::is_base_of_v<std::forward_iterator_tag, category>) {
        for (; first != last && !loop.calls().cancelled(); ++first) loop.spawn_at(first);
      } else {
        for (; first != last && !loop.calls().cancelled(); ++first) loop.spawn_value(value(*first));
      }
    } catch (...) {
      loop.calls().cancel();
      try {
        loop.wait();
      } catch (...) {  // only the first exception is rethrown
      }
      throw;
    }
    loop.wait();
  });
}

}  // namespace detail

/// Calls body(item), or body(item, feeder), in parallel for the elements and for items added by the
/// feeder.
template <typename Iterator, typename Body>
  requires requires { typename std::iterator_traits<Iterator>::iterator_category; }
void parallel_for_each(Iterator first, Iterator last, const Body& body) {
  detail::for_each_item(first, last, body, nullptr);
}
template <typename Iterator, typename Body>
  requires requires { typename std::iterator_traits<Iterator>::iterator_category; }
void parallel_for_each(Iterator first, Iterator last, const Body& body,
                       task_group_context& context) {
  detail::for_each_item(first, last, body, &context);
}
template <typename Range, typename Body>
  requires requires(Range& range) { std::begin(range); }
void parallel_for_each(Range&& range, const Body& body) {
  detail::for_each_item(std::begin(range), std::end(range), body, nullptr);
}
template <typename Range, typename Body>
  requires requires(Range& range) { std::begin(range); }
void parallel_for_each(Range&& range, const Body& body, task_group_context& context) {
  detail::for_each_item(std::begin(range), std::end(range), body, &context);
}

}  // namespace evencube::tbb
