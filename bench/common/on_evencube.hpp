#pragma once

#include <evencube/evencube.hpp>

#include <cstddef>

#include "program.hpp"

namespace bench {

inline const engine on_evencube{
    "evencube",
    {{"balancer", "oem", "oem", "who moves the tasks", {"none", "dem", "oem", "random_stealing"}}}};

/// The options that the command line asks for.
inline evencube::runtime_options evencube_options(const program& with) {
  return {.workers = with.workers(), .balancer = with.word("balancer")};
}

/// The sum of term(i) for first <= i < last, the terms in parallel: a node with many children, said
/// with forks in two.
template <typename Sum, typename Term>
Sum sum_in_parallel(std::size_t first, std::size_t last, const Term& term) {
  if (last == first) return Sum{};
  if (last - first == 1) return term(first);
  const std::size_t middle = first + (last - first) / 2;
  const auto [low, high] =
      evencube::fork_join([&] { return sum_in_parallel<Sum>(first, middle, term); },
                          [&] { return sum_in_parallel<Sum>(middle, last, term); });
  return low + high;
}

}  // namespace bench
