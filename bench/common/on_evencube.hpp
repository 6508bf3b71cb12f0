#pragma once

#include <evencube/evencube.hpp>

#include <cstddef>

#include "program.hpp"

namespace bench {

inline const engine on_evencube{
    "evencube",
    {{"balancer", "oem", "oem", "who moves the tasks", {"none", "dem", "oem", "random_stealing"}},
     {"measured", "no", "no", "whether costs and speeds are measured", {"no", "yes"}}}};

/// The options that the command line asks for.
inline evencube::runtime_options evencube_options(const program& with) {
  const bool measured = with.word("measured") == "yes";
  return {.workers = with.workers(),
          .balancer = with.word("balancer"),
          .measured_costs = measured,
          .experimental = {.measured_speeds = measured}};
}

/// The sum of term(i) for first <= i < last, the terms in parallel: a node with many children.
template <typename Sum, typename Term>
Sum sum_in_parallel(std::size_t first, std::size_t last, const Term& term) {
  return evencube::parallel_reduce(first, last, Sum{}, term, [](Sum a, Sum b) { return a + b; });
}

}  // namespace bench
