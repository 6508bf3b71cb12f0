#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/choice.hpp>
#include <evencube/balancers/fraction.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// One option of a balancer.
struct option_descriptor {
  std::string name;
  std::string summary;
  /// The value used if the option is not given.
  std::string default_value;
  /// The allowed words; empty if `allowed` describes the values.
  std::vector<std::string> choices = {};
  std::string allowed = {};
};

/// A balancer's guarantees as data; the conformance kit checks them and the documentation prints
/// them. The functions take a legal request and complete options (defaults filled in).
struct balancer_guarantees {
  /// Returns an upper bound on the final difference with equal capacities, or nothing if there is
  /// no guarantee.
  std::function<std::optional<load_type>(const balance_request&, const balancer_options&)>
      difference = {};
  /// The guarantee for the final difference, in words; "none" if there is no guarantee.
  std::string difference_text = "none";

  /// True if the balancer has a rule for unequal capacities. If false, it refuses such capacities.
  bool honours_capacities = false;
  /// Returns an upper bound on the largest |load_k - T c_k / C| for capacities c (sum C) and total
  /// load T, or nothing if there is no guarantee.
  std::function<std::optional<double>(const balance_request&, const balancer_options&)> deviation =
      {};
  std::string deviation_text = "none";

  /// True if tasks keep their order along the locality line.
  bool preserves_order = false;
  /// True if equal loads (and capacities) give a plan without transfers.
  bool idle_when_equal = true;
  /// True if, with equal capacities, the final difference never exceeds the initial difference.
  bool never_widens = true;

  /// Returns true if the balancer serves the network; other networks are refused. If the function
  /// is empty, the balancer serves every network.
  std::function<bool(const topology&)> supports = {};
  std::string supports_text = "any";

  /// The time to make a plan, as a function of N nodes, E links, ...
  std::string plan_cost = {};
};

/// Everything that the registry knows about a balancer.
struct balancer_descriptor {
  std::string name;
  /// A one-line description.
  std::string summary;
  /// The balancer's paper and section.
  std::string source;
  /// The information that a node needs about other nodes.
  std::string information;
  /// True if a node acts on its own (`balance_request::initiator`) when its load crosses a mark. If
  /// false, each plan covers the whole network.
  bool event_driven = false;
  /// True if plans depend on `balance_request::service_times`.
  bool uses_service_times = false;
  std::vector<option_descriptor> options = {};
  balancer_guarantees guarantees = {};
  /// Makes a balancer. The function gets every option, with defaults filled in, and with names and
  /// choices already checked. The function throws std::invalid_argument for a value that it cannot
  /// use.
  std::function<std::unique_ptr<balancer>(const balancer_options&)> make = {};
};

/// Makes the balancer registered as `name`. Throws std::invalid_argument, whose message names the
/// unknown balancer and lists the known ones, or names the unknown option or bad value and lists
/// the allowed ones. Thread-safe.
[[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<balancer> make_balancer(
    std::string_view name, const balancer_options& options = {});

/// Returns the descriptors of all balancers in order of registration. Thread-safe.
[[nodiscard]] EVENCUBE_EXPORT std::vector<balancer_descriptor> registered_balancers();

/// Returns the descriptor of the balancer registered as `name`. For an unknown name, throws
/// std::invalid_argument, whose message lists the known names. Thread-safe.
[[nodiscard]] EVENCUBE_EXPORT balancer_descriptor describe_balancer(std::string_view name);

/// Adds a balancer from outside the library. Throws std::invalid_argument if the name is empty or
/// in use, or the descriptor has no `make` function. Thread-safe.
EVENCUBE_EXPORT void register_balancer(balancer_descriptor descriptor);

/// Returns the options with every default filled in. Throws std::invalid_argument for an unknown
/// name or a word that is not among the choices.
[[nodiscard]] EVENCUBE_EXPORT balancer_options
complete_options(const balancer_descriptor& descriptor, const balancer_options& options);

/// Returns the value of an option as a whole number. Throws std::invalid_argument unless it is a
/// whole number in [low, high].
[[nodiscard]] EVENCUBE_EXPORT std::int64_t integer_option(const balancer_options& options,
                                                          std::string_view name, std::int64_t low,
                                                          std::int64_t high);

/// Returns the exact value of an option that is a decimal in [low, high]: "0.1" is a tenth. Throws
/// std::invalid_argument for other values and for more than 18 decimal places.
[[nodiscard]] EVENCUBE_EXPORT fraction fraction_option(const balancer_options& options,
                                                       std::string_view name, fraction low,
                                                       fraction high);

/// Returns the value of an option as a real number in [low, high], rounded to a double. Use it for
/// values that are not parts of quanta. Throws std::invalid_argument for other values.
[[nodiscard]] EVENCUBE_EXPORT double real_option(const balancer_options& options,
                                                 std::string_view name, double low, double high);

}  // namespace evencube
