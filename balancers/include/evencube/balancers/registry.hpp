#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/fraction.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Options of a balancer by name, as text ("quota" -> "halving"), as the command line gives them.
using balancer_options = std::map<std::string, std::string, std::less<>>;

/// One option of a balancer.
struct option_descriptor {
  std::string name;
  std::string summary;
  /// What holds when the option is not given.
  std::string default_value;
  /// The allowed words; empty if the option takes other values, then `allowed` describes them.
  std::vector<std::string> choices = {};
  std::string allowed = {};
};

/// What a balancer promises, as data: the conformance kit checks it and the documentation prints
/// it. The functions take a legal request and complete options (defaults filled in).
struct balancer_guarantees {
  /// Upper bound on the final difference with equal capacities; nothing where none is promised.
  std::function<std::optional<load_type>(const balance_request&, const balancer_options&)>
      difference = {};
  /// The same in words, "none" if there is none.
  std::string difference_text = "none";

  /// Whether unequal capacities have a rule; else such requests are refused.
  bool honours_capacities = false;
  /// With capacities c (sum C) and total load T: upper bound on the largest |load_k - T c_k / C|;
  /// nothing where none is promised.
  std::function<std::optional<double>(const balance_request&, const balancer_options&)> deviation =
      {};
  std::string deviation_text = "none";

  /// Tasks keep their order along the locality line.
  bool preserves_order = false;
  /// Equal loads (and capacities) give a plan without transfers.
  bool idle_when_equal = true;
  /// The final difference never exceeds the initial one (equal capacities).
  bool never_widens = true;

  /// Whether a network is served; all others are refused. Empty: every network.
  std::function<bool(const topology&)> supports = {};
  std::string supports_text = "any";

  /// Time to plan, as a function of N nodes, E links, ...
  std::string plan_cost = {};
};

/// Everything the registry knows about a balancer.
struct balancer_descriptor {
  std::string name;
  /// One line.
  std::string summary;
  /// Paper and section.
  std::string source;
  /// What a node has to know about the others.
  std::string information;
  /// Whether a node acts by itself (`balance_request::initiator`) when its load crosses a mark;
  /// else a plan is for the whole network.
  bool event_driven = false;
  /// Whether plans depend on `balance_request::service_times`.
  bool uses_service_times = false;
  std::vector<option_descriptor> options = {};
  balancer_guarantees guarantees = {};
  /// Makes one. Gets every option, defaults filled in, names and choices already checked; throws
  /// std::invalid_argument for other values it cannot use.
  std::function<std::unique_ptr<balancer>(const balancer_options&)> make = {};
};

/// Makes the balancer registered as `name`. Throws std::invalid_argument that names the unknown
/// balancer and lists the known ones, or the unknown option or bad value and what is allowed.
/// Thread-safe.
[[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<balancer> make_balancer(
    std::string_view name, const balancer_options& options = {});

/// All balancers in order of registration. Thread-safe.
[[nodiscard]] EVENCUBE_EXPORT std::vector<balancer_descriptor> registered_balancers();

/// The descriptor of one. Throws std::invalid_argument listing the known names. Thread-safe.
[[nodiscard]] EVENCUBE_EXPORT balancer_descriptor describe_balancer(std::string_view name);

/// Adds a balancer from outside the library. Throws std::invalid_argument if the name is empty or
/// taken, or the descriptor cannot make anything. Thread-safe.
EVENCUBE_EXPORT void register_balancer(balancer_descriptor descriptor);

/// The options with every default filled in. Throws std::invalid_argument for an unknown name or a
/// word that is not among the choices.
[[nodiscard]] EVENCUBE_EXPORT balancer_options
complete_options(const balancer_descriptor& descriptor, const balancer_options& options);

/// Reads an option as a whole number in [low, high]. Throws std::invalid_argument otherwise.
[[nodiscard]] EVENCUBE_EXPORT std::int64_t integer_option(const balancer_options& options,
                                                          std::string_view name, std::int64_t low,
                                                          std::int64_t high);

/// Reads an option as a decimal in [low, high], exactly: "0.1" is a tenth. Throws
/// std::invalid_argument otherwise, and for more than 18 places after the point.
[[nodiscard]] EVENCUBE_EXPORT fraction fraction_option(const balancer_options& options,
                                                       std::string_view name, fraction low,
                                                       fraction high);

/// Reads an option as a real number in [low, high], rounded to a double; for what is no part of
/// quanta. Throws std::invalid_argument otherwise.
[[nodiscard]] EVENCUBE_EXPORT double real_option(const balancer_options& options,
                                                 std::string_view name, double low, double high);

}  // namespace evencube
