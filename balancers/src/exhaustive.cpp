#include <evencube/balancers/exhaustive.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace evencube {
namespace {

/// The possible states of two positions p, q of a cube: the difference W_p - W_q and, for OEM, the
/// parity of W_p. There is one bit for each state.
using state_set = std::uint64_t;
constexpr int reach = 15;  // differences -15 .. 15, two parities: 62 bits

int bit_of(int difference, int parity) { return (difference + reach) * 2 + parity; }

struct states {
  static constexpr int count = 2 * (2 * reach + 1);
  static int difference(int bit) { return bit / 2 - reach; }
  static int parity(int bit) { return bit % 2; }
};

constexpr int base = 1 << 12;  // far above 0 and a multiple of 4, so that halving rounds one way

int lower_share(pair_rule rule, int a, int b) { return static_cast<int>(pair_share(rule, a, b)); }

state_set add(state_set set, pair_rule rule, int p, int q) {
  const int difference = p - q;
  if (std::abs(difference) > reach) throw std::logic_error("a difference outgrew its bound");
  return set | state_set{1} << bit_of(difference, rule == pair_rule::oem ? p % 2 : 0);
}

/// The states of positions p and q after one more dimension, from those of the halves. `p_high` and
/// `q_high` tell on which side of the new dimension each lies.
state_set join(pair_rule rule, state_set half, bool p_high, bool q_high) {
  state_set joined = 0;
  for (int l = 0; l < states::count; ++l) {
    if ((half >> l & 1U) == 0) continue;
    for (int r = 0; r < states::count; ++r) {
      if ((half >> r & 1U) == 0) continue;
      // Relative shifts of the halves. OEM repeats after 4 (a shift keeps parities, so 0 and 2).
      // DEM only compares, so all shifts beyond the differences have the same effect.
      const int first = rule == pair_rule::oem ? 0 : -2 * reach - 2;
      const int last = rule == pair_rule::oem ? 2 : 2 * reach + 2;
      const int step = rule == pair_rule::oem ? 2 : 1;
      for (int shift = first; shift <= last; shift += step) {
        const int pl = base + states::parity(l) + shift;
        const int ql = pl - states::difference(l);
        const int pr = base + states::parity(r);
        const int qr = pr - states::difference(r);
        const int p = lower_share(rule, pl, pr);
        const int q = lower_share(rule, ql, qr);
        joined = add(joined, rule, p_high ? pl + pr - p : p, q_high ? ql + qr - q : q);
      }
    }
  }
  return joined;
}

/// p and q were the same position until now, and are separated by the new dimension.
state_set part(pair_rule rule, bool p_high) {
  state_set parted = 0;
  for (int a = base; a < base + 8; ++a) {
    for (int b = base; b < base + 8; ++b) {
      const int low = lower_share(rule, a, b);
      const int high = a + b - low;
      parted = add(parted, rule, p_high ? high : low, p_high ? low : high);
    }
  }
  return parted;
}

int widest(state_set set) {
  int found = 0;
  for (int bit = 0; bit < states::count; ++bit) {
    if ((set >> bit & 1U) != 0) found = std::max(found, std::abs(states::difference(bit)));
  }
  return found;
}

/// Calls visit(vector) for all non-decreasing vectors of `size` values in [0, largest].
template <typename Visit>
void for_each_sorted(std::size_t size, unsigned largest, Visit&& visit) {
  std::vector<std::uint8_t> values(size, 0);
  while (true) {
    visit(values);
    std::size_t at = size;
    while (at > 0 && values[at - 1] == largest) --at;
    if (at == 0) return;
    const auto next = static_cast<std::uint8_t>(values[at - 1] + 1);
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(at) - 1, values.end(), next);
  }
}

std::uint8_t small_share(pair_rule rule, unsigned a, unsigned b) {
  const unsigned sum = a + b;
  switch (rule) {
    case pair_rule::dem:
      return static_cast<std::uint8_t>((sum + (a > b ? 1U : 0U)) >> 1U);
    case pair_rule::dem_lower:
      return static_cast<std::uint8_t>((sum + (b - a != 1U ? 1U : 0U)) >> 1U);
    case pair_rule::oem:
      break;
  }
  return static_cast<std::uint8_t>((sum >> 1U) | (sum & 1U));
}

void sweep(pair_rule rule, unsigned dimensions, std::uint8_t* loads) {
  for (unsigned i = 0; i < dimensions; ++i) {
    const std::size_t bit = std::size_t{1} << i;
    for (std::size_t block = 0; block < std::size_t{1} << dimensions; block += 2 * bit) {
      for (std::size_t k = block; k < block + bit; ++k) {
        const unsigned sum = 0U + loads[k] + loads[k + bit];
        loads[k] = small_share(rule, loads[k], loads[k + bit]);
        loads[k + bit] = static_cast<std::uint8_t>(sum - loads[k]);
      }
    }
  }
}

void check_range(const char* what, unsigned value, unsigned low, unsigned high) {
  if (value >= low && value <= high) return;
  throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) +
                              ", allowed are " + std::to_string(low) + " to " +
                              std::to_string(high));
}

}  // namespace

load_type worst_difference(pair_rule rule, unsigned dimensions) {
  check_range("the number of dimensions", dimensions, 0, rule == pair_rule::oem ? 20 : 14);
  std::set<state_set> sets;
  int worst = 0;
  for (unsigned d = 1; d <= dimensions; ++d) {
    std::set<state_set> next{part(rule, false), part(rule, true)};
    for (const state_set set : sets) {
      for (int sides = 0; sides < 4; ++sides) {
        next.insert(join(rule, set, (sides & 1) != 0, (sides & 2) != 0));
      }
    }
    sets = std::move(next);
  }
  for (const state_set set : sets) worst = std::max(worst, widest(set));
  return worst;
}

difference_counts& operator+=(difference_counts& to, const difference_counts& more) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
  return to;
}

difference_counts count_sorted_loads(pair_rule rule, unsigned dimensions, unsigned largest) {
  check_range("the number of dimensions", dimensions, 0, 5);
  check_range("the largest load", largest, 0, 100);
  difference_counts counts{};
  const std::size_t nodes = std::size_t{1} << dimensions;
  std::vector<std::uint8_t> loads;
  for_each_sorted(nodes, largest, [&](const std::vector<std::uint8_t>& values) {
    loads = values;
    sweep(rule, dimensions, loads.data());
    const auto [low, high] = std::minmax_element(loads.begin(), loads.end());
    ++counts[static_cast<std::size_t>(*high - *low)];
  });
  return counts;
}

sorted_load_table::sorted_load_table(pair_rule rule, unsigned dimensions, unsigned largest)
    : rule_(rule), dimensions_(dimensions), largest_(largest) {
  check_range("the number of dimensions", dimensions, 1, 5);
  check_range("the largest load", largest, 0, 60);
  const std::size_t half = std::size_t{1} << (dimensions - 1);
  struct tally {
    std::vector<std::uint64_t> by_last;
    std::vector<std::uint64_t> by_first;
  };
  std::map<std::array<std::uint8_t, half_nodes>, tally> results;
  std::array<std::uint8_t, half_nodes> key{};
  for_each_sorted(half, largest, [&](const std::vector<std::uint8_t>& values) {
    std::copy(values.begin(), values.end(), key.begin());
    sweep(rule, dimensions - 1, key.data());
    tally& found = results[key];
    if (found.by_last.empty()) {
      found.by_last.assign(std::size_t{largest} + 1, 0);
      found.by_first.assign(std::size_t{largest} + 1, 0);
    }
    ++found.by_last[values.back()];
    ++found.by_first[values.front()];
  });
  for (auto& [loads, found] : results) {
    // From "begins with v" to "begins with v or more": what may be to the right of a half that ends
    // in v.
    for (std::size_t v = largest; v-- > 0;) found.by_first[v] += found.by_first[v + 1];
    left_.push_back({loads, std::move(found.by_last)});
    right_.push_back({loads, std::move(found.by_first)});
  }
}

difference_counts sorted_load_table::count(std::size_t first, std::size_t last) const {
  difference_counts counts{};
  const std::size_t half = std::size_t{1} << (dimensions_ - 1);
  for (std::size_t row = first; row < std::min(last, left_.size()); ++row) {
    const auto& left = left_[row];
    std::size_t lowest_last = 0;
    while (left.vectors[lowest_last] == 0) ++lowest_last;
    for (const auto& right : right_) {
      if (right.vectors[lowest_last] == 0) continue;
      std::uint64_t ways = 0;
      for (std::size_t v = lowest_last; v <= largest_; ++v) {
        ways += left.vectors[v] * right.vectors[v];
      }
      if (ways == 0) continue;
      unsigned low = 255;
      unsigned high = 0;
      for (std::size_t k = 0; k < half; ++k) {
        const unsigned sum = 0U + left.loads[k] + right.loads[k];
        const unsigned kept = small_share(rule_, left.loads[k], right.loads[k]);
        low = std::min({low, kept, sum - kept});
        high = std::max({high, kept, sum - kept});
      }
      counts[high - low] += ways;
    }
  }
  return counts;
}

std::uint64_t sorted_load_table::vectors() const noexcept {
  // C(largest + N, N) step by step. Every intermediate value is a binomial coefficient itself.
  std::uint64_t count = 1;
  const std::uint64_t nodes = std::uint64_t{1} << dimensions_;
  for (std::uint64_t i = 1; i <= largest_; ++i) count = count * (nodes + i) / i;
  return count;
}

}  // namespace evencube
