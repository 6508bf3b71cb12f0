#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/detail/compiler.hpp>

// The choice of a balancer and of a transmission. Programs use types and values, which the compiler
// checks; tools use names that their users type.
//
//     runtime rt({.balancer = balancers::diffusion{.iterations = 16},
//                 .transmission = transmissions::pipelined{.batch = 8}});
//
// The types of the balancers are in <evencube/balancers/options.hpp>.

namespace evencube {

/// A balancer's options as a map from option name to value ("quota" -> "halving"), as on the
/// command line.
using balancer_options = std::map<std::string, std::string, std::less<>>;

namespace rule {

/// A type that stands for a balancer: it has the balancer's name and converts to the balancer's
/// options, as the types in `evencube::balancers` do.
template <typename T>
concept names_a_balancer = requires(const T& chosen) {
  { T::balancer } -> std::convertible_to<std::string_view>;
  requires std::convertible_to<const T&, balancer_options>;
};

}  // namespace rule

// NOLINTBEGIN(google-explicit-constructor): the types convert where a choice is expected

/// The choice of a balancer: a type of the namespace `balancers` with options, or the name of a
/// registered balancer. The name is checked only when the choice is used; an unknown one throws
/// std::invalid_argument.
class balancer_choice {
 public:
  balancer_choice(const char* name) : name_(name) {}
  balancer_choice(std::string name) : name_(std::move(name)) {}
  balancer_choice(std::string_view name) : name_(name) {}
  template <rule::names_a_balancer Chosen>
  balancer_choice(const Chosen& chosen) : name_(Chosen::balancer), options_(chosen) {}

  /// Returns the name of the balancer.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Returns the options given by the type; empty if the choice is a name.
  [[nodiscard]] const balancer_options& options() const noexcept { return options_; }

  operator const std::string&() const noexcept { return name_; }
  friend bool operator==(const balancer_choice& choice, std::string_view name) noexcept {
    return choice.name_ == name;
  }
  // Templates, because a string also converts to a choice.
  template <std::same_as<balancer_choice> Choice>
  friend bool operator==(const Choice& a, const Choice& b) noexcept {
    return a.name_ == b.name_ && a.options_ == b.options_;
  }

 private:
  std::string name_;
  balancer_options options_;
};

/// Returns the options of `balancer`: those given by its type, or else `options`. Throws
/// std::invalid_argument if both are given.
[[nodiscard]] EVENCUBE_EXPORT const balancer_options& chosen_options(
    const balancer_choice& balancer, const balancer_options& options);

/// Transmissions that have options. The others are values of the enumeration `transmission`.
namespace transmissions {

/// `transmission::pipelined`, sending quanta in batches.
struct pipelined {
  /// The number of quanta that a link carries at a time, from 1 to 1000000000; 0 means a number
  /// that suits the plan.
  load_type batch = 0;
};

}  // namespace transmissions

/// The choice of a transmission: a value of the enumeration, a type in namespace `transmissions`,
/// or a string such as "pipelined:8". A string is checked only when the choice is used; an invalid
/// one throws std::invalid_argument.
class transmission_choice {
 public:
  transmission_choice(evencube::transmission how) : text_(to_string(how)) {}
  transmission_choice(const transmissions::pipelined& how)
      : text_(to_string(evencube::transmission::pipelined)) {
    if (how.batch != 0) text_ += ":" + std::to_string(how.batch);
  }
  transmission_choice(const char* text) : text_(text) {}
  transmission_choice(std::string text) : text_(std::move(text)) {}
  transmission_choice(std::string_view text) : text_(text) {}

  /// Returns the transmission as a string, such as "direct" or "pipelined:8".
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  operator const std::string&() const noexcept { return text_; }
  friend bool operator==(const transmission_choice& choice, std::string_view text) noexcept {
    return choice.text_ == text;
  }
  template <std::same_as<transmission_choice> Choice>
  friend bool operator==(const Choice& a, const Choice& b) noexcept {
    return a.text_ == b.text_;
  }

 private:
  std::string text_;
};

// NOLINTEND(google-explicit-constructor)

}  // namespace evencube
