#include "starts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "request.hpp"

namespace evencube::lab {
namespace {

constexpr std::array<start_descriptor, 8> starts{{
    {"uniform", "Each load is drawn, all values up to the largest alike", false, true},
    {"geometric", "Most loads are small and a few are large, like the queues of a busy server",
     false, true},
    {"hot",
     "A fifth of the nodes, drawn, have the largest load, the others 1 (Rim et al., Fig. 22)",
     false, true},
    {"one", "Node 0 has everything", false, false},
    {"figure-18", "Node 0 has 15 and the others 1 (Rim et al., Figures 18 to 21)", false, false},
    {"slope", "The loads grow with the node", false, false},
    {"worst-dem", "Each load is the number of ones in the node's id: DEM moves nothing", true,
     false},
    {"worst-oem", "OEM leaves as much difference as it ever does, ceil(log N / 2)", true, false},
}};

/// The final loads of two positions p and q of a cube under OEM, as far as they matter: the load of
/// p modulo 2, and the load of p minus the load of q. When all loads of a cube grow by 2, its final
/// loads do, too, so these states stand for all loads.
struct pair_state {
  int parity;
  int difference;
  // What it comes from: the states of the two halves, and by how much the loads of the upper half
  // are raised.
  std::size_t lower = 0;
  std::size_t upper = 0;
  int raised = 0;
};
using pair_states = std::vector<pair_state>;

/// The states of the positions `first` and `second` in the cubes of 0, 1, ... dimensions.
std::vector<pair_states> states_of(unsigned dimensions, node_id first, node_id second) {
  std::vector<pair_states> all{{{0, 0}, {1, 0}}};
  for (unsigned d = 0; d < dimensions; ++d) {
    const bool first_above = (first >> d & 1) != 0;
    const bool second_above = (second >> d & 1) != 0;
    pair_states found;
    for (std::size_t l = 0; l < all[d].size(); ++l) {
      for (std::size_t u = 0; u < all[d].size(); ++u) {
        for (const int raised : {0, 2}) {
          const pair_state& below = all[d][l];
          const pair_state& above = all[d][u];
          // The last exchange joins the halves: OEM leaves the odd one of the two parts of an odd
          // sum at the lower id. Adding 64 keeps all sums positive and changes no parity.
          const auto after = [](int low, int high, bool upper_member) {
            const int sum = low + high + 128;
            const int lower_part = sum / 2 | sum % 2;
            return upper_member ? sum - lower_part : lower_part;
          };
          const int p = after(below.parity, above.parity + raised, first_above);
          const int q = after(below.parity - below.difference,
                              above.parity + raised - above.difference, second_above);
          const bool known = std::any_of(found.begin(), found.end(), [&](const pair_state& one) {
            return one.parity == p % 2 && one.difference == p - q;
          });
          if (!known) found.push_back({p % 2, p - q, l, u, raised});
        }
      }
    }
    all.push_back(std::move(found));
  }
  return all;
}

/// Writes loads that end in the state `which` of the cube of `dimensions` dimensions, and returns
/// the final load of the first position.
load_type write_loads(const std::vector<pair_states>& all, unsigned dimensions, std::size_t which,
                      node_id first, std::span<load_type> loads) {
  const pair_state& state = all[dimensions][which];
  if (dimensions == 0) {
    loads[0] = state.parity;
    return loads[0];
  }
  const auto half = loads.size() / 2;
  const auto lower = loads.first(half);
  const auto upper = loads.last(half);
  const node_id below = first & ((node_id{1} << (dimensions - 1)) - 1);
  const load_type low = write_loads(all, dimensions - 1, state.lower, below, lower);
  const load_type high = write_loads(all, dimensions - 1, state.upper, below, upper);
  // Both halves are brought to the height that the state assumes: their first positions end with
  // their parity, and the upper half is raised. Multiples of 4 in both would only raise everything.
  const load_type want_low = all[dimensions - 1][state.lower].parity;
  const load_type want_high = all[dimensions - 1][state.upper].parity + state.raised;
  for (load_type& load : lower) load += want_low - low;
  for (load_type& load : upper) load += want_high - high;
  const load_type sum = want_low + want_high + 128;
  const load_type lower_part = sum / 2 | sum % 2;
  const bool above = (first >> (dimensions - 1) & 1) != 0;
  return (above ? sum - lower_part : lower_part) - 64;
}

std::vector<load_type> drawn_loads(const topology& graph, std::uint64_t seed,
                                   const std::function<load_type(std::mt19937_64&)>& draw) {
  std::mt19937_64 source(seed);
  std::vector<load_type> loads(graph.nodes());
  for (load_type& load : loads) load = draw(source);
  return loads;
}

/// A load of mean `mean` whose logarithm of probability falls evenly.
load_type geometric_load(std::mt19937_64& source, load_type mean) {
  const auto parts = static_cast<std::uint64_t>(mean) + 1;
  load_type load = 0;
  while (load < 64 * mean + 64 && source() % parts != 0) ++load;
  return load;
}

std::vector<load_type> hot_loads(const topology& graph, std::uint64_t seed, load_type largest) {
  std::mt19937_64 source(seed);
  std::vector<load_type> loads(graph.nodes(), 1);
  std::vector<node_id> order(graph.nodes());
  for (node_id k = 0; k < graph.nodes(); ++k) {
    const auto at = static_cast<node_id>(source() % (k + 1));
    order[k] = order[at];
    order[at] = k;
  }
  const node_id hot = (graph.nodes() + 4) / 5;
  for (node_id i = 0; i < hot; ++i) loads[order[i]] = largest;
  return loads;
}

}  // namespace

std::span<const start_descriptor> all_starts() { return starts; }

std::vector<load_type> worst_loads_of_oem(unsigned dimensions) {
  const auto nodes = node_id{1} << dimensions;
  const int worst = static_cast<int>(dimensions + 1) / 2;
  for (node_id first = 0; first < nodes; ++first) {
    for (node_id second = 0; second < nodes; ++second) {
      const auto all = states_of(dimensions, first, second);
      const auto& last = all.back();
      const auto found = std::find_if(
          last.begin(), last.end(), [&](const pair_state& one) { return one.difference == worst; });
      if (found == last.end()) continue;
      std::vector<load_type> loads(nodes);
      write_loads(all, dimensions, static_cast<std::size_t>(found - last.begin()), first, loads);
      const load_type least = *std::min_element(loads.begin(), loads.end());
      // Only an even rise of all loads leaves the exchanges as they are.
      const load_type rise = least < 0 ? -least + (-least) % 2 : -(least - least % 2);
      for (load_type& load : loads) load += rise;
      return loads;
    }
  }
  throw refusal("No loads were found for which OEM leaves a difference of " +
                std::to_string(worst) + ".");
}

std::vector<load_type> make_start(std::string_view name, const topology& graph, std::uint64_t seed,
                                  load_type largest) {
  const auto known = std::find_if(starts.begin(), starts.end(),
                                  [&](const start_descriptor& one) { return one.name == name; });
  if (known == starts.end()) {
    std::string names;
    for (const auto& one : starts) names += (names.empty() ? "" : ", ") + std::string(one.name);
    throw refusal("There is no start " + in_quotes(name) + "; there are " + names + ".");
  }
  const node_id nodes = graph.nodes();
  if (known->cubes_only && (!graph.is_cube() || !std::has_single_bit(nodes))) {
    throw refusal("The start " + in_quotes(name) + " is for complete hypercubes, and " +
                  in_quotes(graph.to_string()) + " is none.");
  }
  const auto bound = static_cast<std::uint64_t>(largest) + 1;
  std::vector<load_type> loads(nodes);
  if (name == "uniform") {
    return drawn_loads(graph, seed, [&](std::mt19937_64& source) {
      return static_cast<load_type>(source() % bound);
    });
  }
  if (name == "geometric") {
    const load_type mean = std::min<load_type>((largest + 3) / 4, 4096);
    return drawn_loads(graph, seed,
                       [&](std::mt19937_64& source) { return geometric_load(source, mean); });
  }
  if (name == "hot") return hot_loads(graph, seed, largest);
  if (name == "one") {
    loads[0] = largest;
  } else if (name == "figure-18") {
    std::fill(loads.begin(), loads.end(), 1);
    loads[0] = 15;
  } else if (name == "slope") {
    for (node_id k = 0; k < nodes; ++k) loads[k] = k;
  } else if (name == "worst-dem") {
    for (node_id k = 0; k < nodes; ++k) loads[k] = std::popcount(k);
  } else {
    loads = worst_loads_of_oem(graph.dimensions());
  }
  return loads;
}

}  // namespace evencube::lab
