#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <evencube/machine.hpp>

namespace evencube {
namespace {

// The position of a unit, outermost entry first. A prefix of it names a group of units that are
// near each other: five entries name a core, four an L2, three an L3, two a NUMA node, one a
// package, none the machine. A cache that spans two NUMA nodes counts as one cache in each.
using position = std::array<unsigned, 5>;

position position_of(const processing_unit& unit) {
  return {unit.package, unit.numa_node, unit.l3_group, unit.l2_group, unit.core};
}

// Sorts more capable kinds first.
unsigned descending(unsigned kind) { return ~kind; }

// A power of two of units, in the order of their workers.
using block = std::vector<unsigned>;

class layout {
 public:
  layout(const machine& hardware, std::size_t count) : hardware_(hardware), nodes_(0) {
    for (const processing_unit& each : hardware.units)
      nodes_ = std::max<std::size_t>(nodes_, each.numa_node + 1U);
    if (hardware.numa_distances.size() != std::size_t{nodes_} * nodes_) nodes_ = 0;
    for (const unsigned unit : chosen(count)) blocks_.push_back({unit});
  }

  std::vector<unsigned> order() {
    for (std::size_t depth = position{}.size() + 1; depth-- > 0;) merge_within_groups(depth);
    std::ranges::sort(blocks_, std::greater{}, &block::size);  // all sizes differ here
    put_fastest_first();
    std::vector<unsigned> all;
    for (const block& piece : blocks_) all.insert(all.end(), piece.begin(), piece.end());
    return all;
  }

 private:
  const processing_unit& unit(unsigned index) const { return hardware_.units[index]; }

  std::vector<unsigned> chosen(std::size_t count) const {
    std::vector<unsigned> all(hardware_.units.size());
    std::iota(all.begin(), all.end(), 0U);
    std::ranges::sort(all, [&](unsigned a, unsigned b) {
      const auto rank = [&](unsigned i) {
        return std::pair{unit(i).smt_rank, descending(unit(i).kind)};
      };
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      return std::pair{position_of(unit(a)), a} < std::pair{position_of(unit(b)), b};
    });
    all.resize(count);
    return all;
  }

  // Faster kinds first, then first units of a core, then the order of the machine.
  bool goes_before(const block& a, const block& b) const {
    const auto rank = [&](const block& piece) {
      const processing_unit& first = unit(piece.front());
      return std::tuple{descending(first.kind), first.smt_rank, position_of(first), piece.front()};
    };
    return rank(a) < rank(b);
  }

  double distance(const block& a, const block& b) const {
    double sum = 0.0;
    for (const unsigned i : a) {
      for (const unsigned j : b) {
        sum +=
            hardware_.numa_distances[std::size_t{unit(i).numa_node} * nodes_ + unit(j).numa_node];
      }
    }
    return sum;  // comparable: all the blocks compared are of one size
  }

  void merge_within_groups(std::size_t depth) {
    std::map<std::vector<unsigned>, std::vector<block>> groups;
    for (block& piece : blocks_) {
      const position where = position_of(unit(piece.front()));
      groups[{where.begin(), where.begin() + static_cast<std::ptrdiff_t>(depth)}].push_back(
          std::move(piece));
    }
    blocks_.clear();
    for (auto& [where, pieces] : groups) merge_pairs(std::move(pieces), depth);
  }

  void merge_pairs(std::vector<block> pieces, std::size_t depth) {
    std::map<std::size_t, std::vector<block>> by_size;
    for (block& piece : pieces) by_size[piece.size()].push_back(std::move(piece));
    // Pairs go to a later entry of the map, which the loop has not reached yet.
    for (auto same = by_size.begin(); same != by_size.end(); ++same) {
      auto& [size, waiting] = *same;
      std::ranges::sort(waiting, [&](const auto& a, const auto& b) { return goes_before(a, b); });
      if (!distance_matters(depth)) {
        for (std::size_t i = 0; i + 1 < waiting.size(); i += 2) {
          waiting[i].insert(waiting[i].end(), waiting[i + 1].begin(), waiting[i + 1].end());
          by_size[2 * size].push_back(std::move(waiting[i]));
        }
        waiting.erase(waiting.begin(), waiting.end() - static_cast<int>(waiting.size() % 2));
      }
      while (waiting.size() > 1) {
        block pair = std::move(waiting.front());
        waiting.erase(waiting.begin());
        const auto partner = nearest(pair, waiting);
        pair.insert(pair.end(), partner->begin(), partner->end());
        waiting.erase(partner);
        by_size[2 * size].push_back(std::move(pair));
      }
      if (!waiting.empty()) blocks_.push_back(std::move(waiting.front()));
    }
  }

  // Only packages and the whole machine hold several NUMA nodes.
  bool distance_matters(std::size_t depth) const { return nodes_ != 0 && depth <= 1; }

  std::vector<block>::iterator nearest(const block& to, std::vector<block>& among) const {
    auto best = among.begin();
    double least = distance(to, *best);
    for (auto other = std::next(best); other != among.end(); ++other) {
      const double far = distance(to, *other);
      if (far < least) {
        least = far;
        best = other;
      }
    }
    return best;
  }

  void put_fastest_first() {
    const auto fastest = std::ranges::min_element(
        blocks_, [&](const auto& a, const auto& b) { return goes_before(a, b); });
    block& first = blocks_.front();
    if (unit(fastest->front()).kind != unit(first.front()).kind) {
      std::ranges::swap_ranges(*fastest, first);
    }
  }

  const machine& hardware_;
  std::size_t nodes_;
  std::vector<block> blocks_;
};

}  // namespace

std::vector<unsigned> place_workers(const machine& hardware, unsigned workers) {
  if (workers == 0) throw std::invalid_argument("workers is 0; at least 1 is needed");
  if (hardware.units.empty()) throw std::invalid_argument("the machine has no processing unit");
  std::vector<unsigned> placed =
      layout(hardware, std::min<std::size_t>(workers, hardware.units.size())).order();
  const std::size_t distinct = placed.size();
  placed.reserve(workers);
  while (placed.size() < workers) placed.push_back(placed[placed.size() - distinct]);
  return placed;
}

namespace {

constexpr const char* pinning_names[] = {"unit", "core", "cache", "numa", "none"};

}  // namespace

std::string to_string(pinning policy) { return pinning_names[static_cast<std::size_t>(policy)]; }

pinning parse_pinning(const std::string& text) {
  for (const pinning policy :
       {pinning::unit, pinning::core, pinning::cache, pinning::numa, pinning::none}) {
    if (text == to_string(policy)) return policy;
  }
  throw std::invalid_argument("pinning: \"" + text +
                              "\" is not allowed; unit, core, cache, numa or none");
}

std::vector<unsigned> units_to_pin_to(const machine& hardware, unsigned unit, pinning policy) {
  if (unit >= hardware.units.size()) {
    throw std::invalid_argument("unit: " + std::to_string(unit) + " is not there; at most " +
                                std::to_string(hardware.units.size() - 1));
  }
  const processing_unit& placed = hardware.units[unit];
  const auto together = [&](const processing_unit& other) {
    switch (policy) {
      case pinning::unit:
        return other.os_index == placed.os_index;
      case pinning::core:
        return other.core == placed.core;
      case pinning::cache:
        return other.l3_group == placed.l3_group;
      case pinning::numa:
        return other.numa_node == placed.numa_node;
      case pinning::none:
        break;
    }
    return false;
  };
  std::vector<unsigned> numbers;
  for (const processing_unit& other : hardware.units) {
    if (together(other)) numbers.push_back(other.os_index);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace evencube
