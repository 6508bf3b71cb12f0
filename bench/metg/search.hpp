#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace bench::metg {

/// What was measured with one number of iterations of the kernel.
struct sample {
  std::uint64_t iterations = 0;
  /// Seconds of the workers for each task: time on the wall times workers, divided by tasks.
  double granularity = 0;
  /// The share of the workers' time that the kernels would take without anything else.
  double efficiency = 0;
};

/// The least granularity at which an engine is efficient, and what was measured to find it.
struct found {
  /// In seconds. If `reached` is false, the greatest one that was tried.
  double granularity = 0;
  /// False if the engine was less efficient with every number of iterations.
  bool reached = false;
  /// By iterations, ascending.
  std::vector<sample> curve;
};

/// The numbers of iterations that are tried: powers of the fourth root of two.
inline std::uint64_t iterations_of(std::size_t rung) {
  return static_cast<std::uint64_t>(std::llround(std::exp2(static_cast<double>(rung) / 4)));
}

/// Finds the minimum effective task granularity: the least granularity with an efficiency of at
/// least `wanted`. `measured(iterations)` measures one number of iterations, and `most` is the
/// greatest number that is tried. The search goes up in steps of a factor of four until the
/// efficiency is reached, halves the last of these steps down to a factor of 2^(1/4), and
/// interpolates between the two samples on either side.
template <typename Measured>
found find_granularity(double wanted, std::uint64_t most, const Measured& measured) {
  std::map<std::uint64_t, sample> known;
  const auto at = [&](std::size_t rung) -> const sample& {
    const std::uint64_t iterations = iterations_of(rung);
    const auto place = known.find(iterations);
    return place != known.end() ? place->second
                                : known.emplace(iterations, measured(iterations)).first->second;
  };
  std::size_t top = 0;
  while (iterations_of(top + 1) <= most) ++top;

  found result;
  std::size_t above = 0;  // the efficiency is reached there, and not at `below`
  std::size_t below = 0;
  while (at(above).efficiency < wanted && above < top) {
    below = above;
    above = std::min(above + 8, top);
  }
  result.reached = at(above).efficiency >= wanted;
  result.granularity = at(above).granularity;
  if (result.reached && above > 0) {
    while (above - below > 1) {
      const std::size_t middle = below + (above - below) / 2;
      (at(middle).efficiency < wanted ? below : above) = middle;
    }
    const sample& less = at(below);
    const sample& more = at(above);
    const double share = (wanted - less.efficiency) / (more.efficiency - less.efficiency);
    result.granularity = less.granularity * std::pow(more.granularity / less.granularity, share);
  }
  for (const auto& [iterations, each] : known) result.curve.push_back(each);
  return result;
}

}  // namespace bench::metg
