#include "quotas.hpp"

#include <bit>
#include <cmath>

namespace evencube {
namespace {

/// The nodes of one class, numbered 0 .. size-1.
struct members {
  node_id first;
  node_id stride;
  std::span<const double> capacities;
  std::span<load_type> quotas;

  [[nodiscard]] node_id size() const {
    return (static_cast<node_id>(quotas.size()) - first + stride - 1) / stride;
  }
  [[nodiscard]] node_id node(node_id m) const { return first + m * stride; }
  [[nodiscard]] bool takes(node_id m) const {
    return capacities.empty() || capacities[node(m)] > 0.0;
  }
};

/// Gives `extra` units, at most one to each member that takes work, halving the range: the lower
/// half gets its share by number of takers, rounded down. `takers` are prefix counts.
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

load_type floor_shares(load_type total, const members& all) {
  const node_id size = all.size();
  long double sum = 0;
  for (node_id m = 0; m < size; ++m) sum += static_cast<long double>(all.capacities[all.node(m)]);
  load_type given = 0;
  for (node_id m = 0; m < size; ++m) {
    const auto capacity = static_cast<long double>(all.capacities[all.node(m)]);
    const long double share =
        sum > 0 ? std::floor(static_cast<long double>(total) * capacity / sum) : 0;
    const load_type left = total - given;
    // The last place of a share near 2^63 may be rounded up: never give more than there is.
    const load_type quota =
        share >= static_cast<long double>(left) ? left : static_cast<load_type>(share);
    all.quotas[all.node(m)] = quota;
    given += quota;
  }
  return total - given;
}

}  // namespace

quota_rule parse_quota(const std::string& text) {
  return text == "first" ? quota_rule::first : quota_rule::halving;
}

load_type floor_quotas(load_type total, std::span<const double> capacities,
                       std::span<load_type> quotas) {
  const members all{0, 1, capacities, quotas};
  if (!capacities.empty()) return floor_shares(total, all);
  const node_id size = all.size();
  for (node_id m = 0; m < size; ++m) quotas[m] = total / size;
  return total % size;
}

void share_quotas(load_type total, quota_rule rule, node_id first, node_id stride,
                  std::span<const double> capacities, std::span<load_type> quotas) {
  thread_local std::vector<load_type> takers;
  const members all{first, stride, capacities, quotas};
  const node_id size = all.size();
  load_type extra = total % size;
  if (capacities.empty()) {
    for (node_id m = 0; m < size; ++m) quotas[all.node(m)] = total / size;
  } else {
    extra = floor_shares(total, all);
  }
  takers.assign(std::size_t{size} + 1, 0);
  for (node_id m = 0; m < size; ++m) takers[m + 1] = takers[m] + (all.takes(m) ? 1 : 0);
  // More than one round is needed only where shares near 2^63 lost their last places.
  while (extra > 0 && takers[size] > 0) {
    const load_type round = extra < takers[size] ? extra : takers[size];
    if (rule == quota_rule::halving) {
      halve(all, round, 0, std::bit_ceil(size), takers);
    } else {
      load_type left = round;
      for (node_id m = 0; m < size && left > 0; ++m) {
        if (!all.takes(m)) continue;
        ++quotas[all.node(m)];
        --left;
      }
    }
    extra -= round;
  }
}

}  // namespace evencube
