#include "guide.hpp"

#include <algorithm>

namespace evencube::explorer {

guide::guide(std::uint64_t seed, unsigned change_points, unsigned length)
    : state_(mix(seed + 0x51ed270b8f3a9d1dU)) {
  constexpr std::uint64_t rarities[] = {2, 8, 32, 128};
  rarity_ = rarities[any_of(4)];
  for (std::int64_t& p : priority_) p = static_cast<std::int64_t>(random() >> 2);
  for (unsigned i = 0; i < change_points; ++i) changes_.push_back(1 + any_of(std::max(length, 1U)));
}

void guide::reach(unsigned now, unsigned thread) noexcept {
  for (const unsigned step : changes_) {
    if (step == now) lower(thread);
  }
}

}  // namespace evencube::explorer
