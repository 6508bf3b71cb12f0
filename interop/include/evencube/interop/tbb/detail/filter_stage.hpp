#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace evencube::tbb {

/// How the body of a filter may be called: by several workers at once; by one at a time, in the
/// order in which the first filter produced the values; or by one at a time, in any order.
enum class filter_mode { parallel, serial_in_order, serial_out_of_order };

namespace detail {
template <typename Input, typename Output, typename Body>
class filter_of_body;
}  // namespace detail

/// With this object, the first filter signals that there are no more values. The value that it then
/// returns is dropped.
class flow_control {
 public:
  void stop() noexcept { stopped_ = true; }

 private:
  template <typename Input, typename Output, typename Body>
  friend class detail::filter_of_body;

  flow_control() = default;
  bool stopped_ = false;
};

namespace detail {

/// A place for a value between two filters, or for no value (void).
struct filter_place {
  filter_place() = default;
  filter_place(const filter_place&) = delete;
  filter_place& operator=(const filter_place&) = delete;
  virtual ~filter_place() = default;
};
template <typename T>
struct place_of : filter_place {
  std::optional<T> value;
};

/// A filter whose types only its body knows. All chains that contain the filter share it, and all
/// their runs call it, so nothing in it changes.
class filter_stage {
 public:
  explicit filter_stage(filter_mode how) : mode(how) {}
  filter_stage(const filter_stage&) = delete;
  filter_stage& operator=(const filter_stage&) = delete;
  virtual ~filter_stage() = default;

  /// Makes a place for the result; null if the filter produces none.
  [[nodiscard]] virtual std::unique_ptr<filter_place> make_place() const = 0;
  /// Calls the body with the value in `from`, which is empty afterwards. Returns false if the body
  /// has stopped the flow.
  virtual bool call(filter_place* from, filter_place* into) const = 0;

  const filter_mode mode;
};
/// The filters of a chain, in their order.
using filter_stages = std::vector<std::shared_ptr<const filter_stage>>;

template <typename Input, typename Output, typename Body>
class filter_of_body : public filter_stage {
 public:
  filter_of_body(filter_mode how, const Body& body) : filter_stage(how), body_(body) {}

  [[nodiscard]] std::unique_ptr<filter_place> make_place() const override {
    if constexpr (std::is_void_v<Output>) {
      return nullptr;
    } else {
      return std::make_unique<place_of<Output>>();
    }
  }
  bool call(filter_place* from, filter_place* into) const override {
    if constexpr (std::is_void_v<Input>) {
      flow_control flow;
      give(into, flow);
      return !flow.stopped_;
    } else {
      std::optional<Input>& value = static_cast<place_of<Input>*>(from)->value;
      give(into, std::move(*value));
      value.reset();
      return true;
    }
  }

 private:
  template <typename Argument>
  void give([[maybe_unused]] filter_place* into, Argument&& argument) const {
    if constexpr (std::is_void_v<Output>) {
      body_(std::forward<Argument>(argument));
    } else {
      static_cast<place_of<Output>*>(into)->value.emplace(body_(std::forward<Argument>(argument)));
    }
  }

  const Body body_;
};

/// The types that a body takes and returns. A flow_control counts as void.
template <typename Call>
struct filter_types;
template <typename Body, typename Taken, typename Given>
struct filter_types<Given (Body::*)(Taken) const> {
  using input = std::conditional_t<std::is_same_v<std::remove_cvref_t<Taken>, flow_control>, void,
                                   std::remove_cvref_t<Taken>>;
  using output = std::remove_cvref_t<Given>;
};
template <typename Body, typename Taken, typename Given>
struct filter_types<Given (Body::*)(Taken) const noexcept>
    : filter_types<Given (Body::*)(Taken) const> {};

/// The type with which the body of a filter is called.
template <typename Input>
struct filter_argument {
  using type = Input&&;
};
template <>
struct filter_argument<void> {
  using type = flow_control&;
};

}  // namespace detail

namespace rule {

/// The body of a filter takes a value of type Input (in the first filter, a flow_control&). It
/// returns a value of type Output, or of any type if Output is void.
template <typename Body, typename Input, typename Output>
concept takes_the_input_and_gives_the_output =
    std::copy_constructible<Body> &&
    std::invocable<const Body&, typename detail::filter_argument<Input>::type> &&
    (std::is_void_v<Output> ||
     std::constructible_from<
         Output, std::invoke_result_t<const Body&, typename detail::filter_argument<Input>::type>>);

/// The types of a filter are those of its body, whose single operator() is const and has one
/// parameter.
template <typename Body>
concept filter_with_types_of_its_own =
    requires { typename detail::filter_types<decltype(&Body::operator())>::input; };

}  // namespace rule

namespace detail {

template <typename Body>
using filter_input = typename filter_types<decltype(&Body::operator())>::input;
template <typename Body>
using filter_output = typename filter_types<decltype(&Body::operator())>::output;

}  // namespace detail

}  // namespace evencube::tbb
