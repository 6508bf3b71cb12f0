#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/detail/compiler.hpp>

/// The conformance kit: what every balancer has to keep, and whether it keeps what it declares.
namespace evencube::conformance {

struct settings {
  std::uint64_t seed = 1;
  /// Random load vectors per network.
  unsigned rounds = 8;
  /// Networks tried, besides those of 1, 2 and 3 nodes of every kind.
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

/// One broken promise.
struct violation {
  std::string balancer;
  /// Options that differ from the defaults, network, loads: enough to repeat it.
  std::string where;
  std::string what;
};

/// All that a plan for one request breaks: conservation, feasibility, links, determinism, reuse of
/// the plan object, the declared bounds. `options` need not be complete.
[[nodiscard]] EVENCUBE_EXPORT std::vector<violation> check_plan(
    const balancer_descriptor& descriptor, const balancer_options& options,
    const balance_request& request);

/// Runs the balancer with its defaults and with every choice of every option over the networks with
/// zero, equal, huge, one-sided, stepped and random loads, with equal and unequal capacities, and
/// with requests that have to be refused. Pure: same descriptor and settings, same result.
/// An empty list means: it conforms. The descriptor need not be registered.
[[nodiscard]] EVENCUBE_EXPORT std::vector<violation> check_balancer(
    const balancer_descriptor& descriptor, const settings& how = {});

/// The violations as text, one per line.
[[nodiscard]] EVENCUBE_EXPORT std::string to_string(const std::vector<violation>& violations);

}  // namespace evencube::conformance
