#pragma once

#include <cstdint>
#include <string>

#include "../common/program.hpp"

namespace bench::offers {

inline const workload about{
    "offers",
    "call",
    {{"n", "200000", "200", "how many calls"},
     {"what",
      "future",
      "future",
      "what is called",
      {"future", "then", "local", "balanced_loop", "arena", "blocking", "runtime"}}}};

/// `calls(n)` makes n calls, each of which counts itself once: returns what was counted.
template <typename Calls>
int measure(program& with, const Calls& calls) {
  const std::uint64_t n = with.number("n");
  std::uint64_t counted = 0;
  return with.measure({
      .units = static_cast<double>(n),
      .run = [&] { return timed([&] { counted = calls(n); }); },
      .verify = [&] { return counted == n ? "" : "it counted " + std::to_string(counted); },
  });
}

}  // namespace bench::offers
