#include <algorithm>
#include <bit>
#include <stdexcept>

#include <evencube/workloads/placement.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {

std::string_view name_of(placement where) noexcept {
  constexpr std::array<std::string_view, all_placements.size()> names{"spread", "one", "skewed",
                                                                      "random"};
  const auto number = static_cast<std::size_t>(where);
  return number < names.size() ? names[number] : "unknown";
}

placement placement_named(std::string_view name) {
  for (const auto where : all_placements) {
    if (name == name_of(where)) return where;
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
    case placement::random: {
      const auto drawn = mix_bits(seed + index * split_mix_step);  // output `index` of SplitMix64
      return static_cast<std::size_t>(((drawn >> 32) * workers) >> 32);
    }
    case placement::one:
      break;
  }
  return std::nullopt;
}

}  // namespace evencube::workloads
