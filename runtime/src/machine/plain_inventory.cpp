#include <algorithm>
#include <map>
#include <tuple>

#include "machine/inventory.hpp"
#include "platform/platform.hpp"

namespace evencube::detail {
namespace {

// Gives each distinct number of the system the next number on first sight.
class renumbering {
 public:
  unsigned operator()(unsigned number) {
    return numbers_.try_emplace(number, static_cast<unsigned>(numbers_.size())).first->second;
  }

 private:
  std::map<unsigned, unsigned> numbers_;
};

}  // namespace

std::vector<processing_unit> units_at(std::span<const unsigned> allowed,
                                      std::span<const place_of_unit> places) {
  std::vector<place_of_unit> ours;
  std::map<unsigned, unsigned> rank_of_kind;
  for (const unsigned os_index : allowed) {
    const auto place = std::ranges::find(places, os_index, &place_of_unit::os_index);
    if (place == places.end()) return {};
    ours.push_back(*place);
    rank_of_kind.emplace(place->kind, 0U);
  }
  std::ranges::sort(ours, {}, [](const place_of_unit& at) {
    return std::tuple{at.package, at.numa_node, at.l3_group, at.l2_group, at.core, at.os_index};
  });
  unsigned next = 0;
  for (auto& [kind, rank] : rank_of_kind) rank = next++;
  renumbering packages, numa_nodes, l3_groups, l2_groups, cores;
  std::map<unsigned, unsigned> units_of_core;
  std::vector<processing_unit> units;
  for (const place_of_unit& at : ours) {
    processing_unit described{.os_index = at.os_index,
                              .core = cores(at.core),
                              .numa_node = numa_nodes(at.numa_node),
                              .l2_group = l2_groups(at.l2_group),
                              .l3_group = l3_groups(at.l3_group),
                              .package = packages(at.package),
                              .kind = rank_of_kind.at(at.kind)};
    described.smt_rank = units_of_core[described.core]++;
    units.push_back(described);
  }
  return units;
}

inventory read_with_affinity() {
  std::vector<unsigned> allowed = process_affinity();
  // Even if the system does not report its mask, the process runs somewhere; unit 0 always exists.
  if (allowed.empty()) allowed.push_back(0);
  inventory found;
  found.units = units_at(allowed, places_of_units());
  found.knows_parts = !found.units.empty();
  if (!found.knows_parts) {
    for (const unsigned os_index : allowed) {
      const auto index = static_cast<unsigned>(found.units.size());
      found.units.push_back(
          {.os_index = os_index, .core = index, .l2_group = index, .l3_group = index});
    }
  }
  found.present = std::max(online_units(), static_cast<unsigned>(found.units.size()));
  return found;
}

}  // namespace evencube::detail
