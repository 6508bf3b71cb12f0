#include <algorithm>
#include <bit>
#include <stdexcept>

#include <evencube/workloads/placement.hpp>

namespace evencube::workloads {

namespace {

/// Output number `index` of SplitMix64.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t index) noexcept {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace

std::string_view name_of(placement where) noexcept {
  switch (where) {
    case placement::spread:
      return "spread";
    case placement::one:
      return "one";
    case placement::skewed:
      return "skewed";
    case placement::random:
      return "random";
  }
  return "unknown";
}

placement placement_named(std::string_view name) {
  for (const auto where : all_placements) {
    if (name == name_of(where)) {
      return where;
    }
  }
  throw std::invalid_argument{"unknown placement \"" + std::string{name} +
                              "\"; known: spread, one, skewed, random"};
}

std::optional<std::size_t> home_of(placement where, std::size_t index, std::size_t workers,
                                   std::uint64_t seed) noexcept {
  switch (where) {
    case placement::spread:
      return index % workers;
    case placement::skewed:
      return std::min<std::size_t>(static_cast<std::size_t>(std::countr_one(index)), workers - 1);
    case placement::random:
      return static_cast<std::size_t>(((mixed(seed, index) >> 32) * workers) >> 32);
    case placement::one:
      break;
  }
  return std::nullopt;
}

}  // namespace evencube::workloads
