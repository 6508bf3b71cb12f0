#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/detail/compiler.hpp>

/// The conformance kit checks that a balancer obeys the common rules and keeps the guarantees that
/// it declares.
namespace evencube::conformance {

/// The settings of a check.
struct settings {
  std::uint64_t seed = 1;
  /// The number of random load vectors for each network.
  unsigned rounds = 8;
  /// The networks to check, in addition to networks of 1, 2 and 3 nodes of every kind.
  std::vector<std::string> networks = {"hypercube:3",
                                       "hypercube:5",
                                       "cube:5",
                                       "cube:6",
                                       "cube:12",
                                       "cube:21",
                                       "mesh:3x4",
                                       "torus:3x3",
                                       "ring:7",
                                       "linear:6",
                                       "complete:5",
                                       "star:6",
                                       "fibonacci:7",
                                       "fibonacci-composite:16",
                                       "edges:0-1,0-2,1-3,2-3,3-4"};
};

/// One rule or guarantee that a balancer broke.
struct violation {
  std::string balancer;
  /// The options that differ from the defaults, the network and the loads: enough to repeat the
  /// case.
  std::string where;
  std::string what;
};

/// Returns every rule and guarantee that a plan for one request breaks. Checks conservation,
/// feasibility, links, determinism, reuse of the plan object, and the declared bounds. `options`
/// need not be complete.
[[nodiscard]] EVENCUBE_EXPORT std::vector<violation> check_plan(
    const balancer_descriptor& descriptor, const balancer_options& options,
    const balance_request& request);

/// Runs the balancer with its defaults and with every choice of every option on the networks of
/// `how`. The loads are zero, equal, huge, one-sided, stepped and random; the capacities are equal
/// and unequal. Some requests are ones that the balancer must refuse. The function is pure: the
/// same descriptor and settings give the same result. An empty list means that the balancer
/// conforms. The descriptor need not be registered.
[[nodiscard]] EVENCUBE_EXPORT std::vector<violation> check_balancer(
    const balancer_descriptor& descriptor, const settings& how = {});

/// Returns the violations as text, one per line.
[[nodiscard]] EVENCUBE_EXPORT std::string to_string(const std::vector<violation>& violations);

}  // namespace evencube::conformance
