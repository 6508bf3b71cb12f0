#include "quotas.hpp"

#include <bit>

#include "working_memory.hpp"

namespace evencube {
namespace {

struct rest_of_a_division {
  std::vector<load_type> takers;
  std::vector<char> owed;
};

/// The nodes of one class, numbered 0 .. size-1.
struct members {
  node_id first;
  node_id stride;
  std::span<const wide> capacities;
  std::span<load_type> quotas;

  [[nodiscard]] node_id size() const {
    return (static_cast<node_id>(quotas.size()) - first + stride - 1) / stride;
  }
  [[nodiscard]] node_id node(node_id m) const { return first + m * stride; }
};

/// Gives `extra` units, at most one to each taker, by halving the range. The lower half gets its
/// share by the number of its takers, rounded down. `takers` are prefix counts.
void halve(const members& all, load_type extra, node_id low, node_id span,
           const std::vector<load_type>& takers) {
  if (extra == 0) return;
  if (span == 1) {
    all.quotas[all.node(low)] += extra;
    return;
  }
  const node_id size = all.size();
  const node_id middle = low + span / 2;
  if (middle >= size) return halve(all, extra, low, span / 2, takers);
  const node_id end = low + span < size ? low + span : size;
  const load_type left = takers[middle] - takers[low];
  const load_type both = takers[end] - takers[low];
  const load_type part = extra * left / both;  // extra and left are at most 2^24
  halve(all, part, low, span / 2, takers);
  halve(all, extra - part, middle, span / 2, takers);
}

/// Rounds every share down, and marks in `owed` the members that lost something by it.
load_type floor_shares(load_type total, const members& all, std::vector<char>& owed) {
  const node_id size = all.size();
  wide sum = 0;
  for (node_id m = 0; m < size; ++m) sum += all.capacities[all.node(m)];
  owed.assign(size, 0);
  load_type given = 0;
  for (node_id m = 0; m < size && sum > 0; ++m) {
    const wide capacity = all.capacities[all.node(m)];
    const load_type quota =
        quotient_of(static_cast<wide>(total), capacity, sum, 1, rounding::floor);
    all.quotas[all.node(m)] = quota;
    given += quota;
    const auto exact =
        compare_products(static_cast<wide>(total), capacity, static_cast<wide>(quota), sum);
    owed[m] = exact != 0 ? 1 : 0;
  }
  return total - given;
}

}  // namespace

quota_rule parse_quota(const std::string& text) {
  return text == "first" ? quota_rule::first : quota_rule::halving;
}

load_type floor_quotas(load_type total, std::span<const wide> capacities,
                       std::span<load_type> quotas, std::vector<char>& owed) {
  const members all{0, 1, capacities, quotas};
  if (!capacities.empty()) return floor_shares(total, all, owed);
  const node_id size = all.size();
  for (node_id m = 0; m < size; ++m) quotas[m] = total / size;
  owed.assign(size, total % size != 0 ? 1 : 0);
  return total % size;
}

void share_quotas(load_type total, quota_rule rule, node_id first, node_id stride,
                  std::span<const wide> capacities, std::span<load_type> quotas) {
  const working_memory<rest_of_a_division> memory;
  auto& [takers, owed] = *memory;
  const members all{first, stride, capacities, quotas};
  const node_id size = all.size();
  load_type extra = total % size;
  if (capacities.empty()) {
    for (node_id m = 0; m < size; ++m) quotas[all.node(m)] = total / size;
    if (extra == 0) return;
    owed.assign(size, 1);
  } else {
    for (node_id m = 0; m < size; ++m) quotas[all.node(m)] = 0;
    extra = floor_shares(total, all, owed);
    if (extra == 0) return;
  }
  if (rule == quota_rule::first) {
    for (node_id m = 0; m < size && extra > 0; ++m) {
      if (owed[m] == 0) continue;
      ++quotas[all.node(m)];
      --extra;
    }
    return;
  }
  takers.assign(std::size_t{size} + 1, 0);
  for (node_id m = 0; m < size; ++m) takers[m + 1] = takers[m] + owed[m];
  halve(all, extra, 0, std::bit_ceil(size), takers);
}

}  // namespace evencube
