#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include <evencube/balancers/options.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/proximity_map.hpp>

#include "kit.hpp"

namespace evencube::papers {
namespace {

// Loh, Hsu, Cai, Sriskanthan 1996: the worked examples, and the codes of the sidebar.

/// The paper's update rule, repeated until nothing changes: 0 at light nodes, elsewhere one more
/// than the least neighbour's proximity, and at most the diameter.
std::vector<node_id> proximities_by_rule(const topology& graph, unsigned light) {
  const node_id farthest = graph.diameter();
  std::vector<node_id> proximity(graph.nodes(), farthest);
  for (bool changes = true; changes;) {
    changes = false;
    for (node_id k = 0; k < graph.nodes(); ++k) {
      node_id next = farthest;
      if ((light >> k & 1U) != 0) {
        next = 0;
      } else {
        graph.for_each_neighbour(
            k, [&](node_id j) { next = std::min(next, static_cast<node_id>(proximity[j] + 1)); });
      }
      changes = changes || next != proximity[k];
      proximity[k] = next;
    }
  }
  return proximity;
}

/// Whether every node's proximity is its distance from the nearest light node, at most the
/// diameter; and the map that the balancer `gradient` keeps has the same numbers.
bool proximity_is_distance(const topology& graph, unsigned light) {
  const auto by_rule = proximities_by_rule(graph, light);
  const proximity_map<std::uint8_t> kept(graph, [&](node_id k) { return (light >> k & 1U) != 0; });
  for (node_id k = 0; k < graph.nodes(); ++k) {
    node_id nearest = graph.diameter();
    for (node_id j = 0; j < graph.nodes(); ++j) {
      if ((light >> j & 1U) != 0) nearest = std::min<node_id>(nearest, graph.distance(k, j));
    }
    if (by_rule[k] != nearest || kept.proximity(k) != nearest) return false;
  }
  return true;
}

/// Node 5 of the mesh is the paper's processor A, its neighbours are B, C, D and E.
constexpr node_id middle = 5;
constexpr std::array<node_id, 4> around{1, 4, 6, 9};

/// What one activation of the middle processor moves between it and its neighbours, and the loads
/// of all five afterwards.
struct activation {
  std::string moved;
  std::string left;
};

activation activate(const balancer& strategy, load_type of_middle,
                    const std::array<load_type, 4>& of_neighbours, load_type elsewhere) {
  const topology mesh = topology::parse("mesh:4x4");
  std::vector<load_type> loads(mesh.nodes(), elsewhere);
  loads[middle] = of_middle;
  for (std::size_t i = 0; i < around.size(); ++i) loads[around[i]] = of_neighbours[i];
  plan planned;
  strategy.make_plan({.graph = mesh, .loads = loads, .initiator = middle}, planned);
  const auto after = final_loads(planned, loads);
  std::vector<load_type> moved;
  std::vector<load_type> left{after[middle]};
  for (const node_id k : around) {
    moved.push_back(std::abs(after[k] - loads[k]));
    left.push_back(after[k]);
  }
  return {fmt::format("{}", fmt::join(moved, " ")), fmt::format("{}", fmt::join(left, " "))};
}

constexpr unsigned codes = 16;
constexpr const char* printed_numbers = "0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610";
constexpr const char* printed_codes =
    "000000 000001 000010 000100 000101 001000 001001 001010 010000 010001 010010 010100 010101 "
    "100000 100001 100010";

/// Whether the cube of this order joins exactly the nodes whose codes differ in one digit.
bool joins_unit_distances(unsigned order) {
  const topology cube = topology::parse("fibonacci:" + std::to_string(order));
  if (cube.nodes() != fibonacci_number(order)) return false;
  for (node_id a = 0; a < cube.nodes(); ++a) {
    unsigned neighbours = 0;
    for (node_id b = 0; b < cube.nodes(); ++b) {
      if (std::popcount(zeckendorf_code(a) ^ zeckendorf_code(b)) == 1) ++neighbours;
    }
    bool all = cube.degree(a) == neighbours;
    cube.for_each_neighbour(a, [&](node_id b) {
      all = all && std::popcount(zeckendorf_code(a) ^ zeckendorf_code(b)) == 1;
    });
    if (!all) return false;
  }
  return true;
}

}  // namespace

void loh_figures_1_3(notebook& book) {
  book.done.method =
      "Fig. 1 shows proximities on a 4 x 4 mesh, in a picture only: the rule of the text is "
      "repeated until nothing changes, for every set of light processors, and compared with the "
      "distance to the nearest of them. Figs. 2 and 3 are one activation of a processor with four "
      "neighbours, planned by the balancers `sender_initiated` and `receiver_initiated`.";
  book.done.parameters = {{"network", "4 x 4 mesh", "Figs. 1 to 3"},
                          {"high mark of SI, low mark of RI", "10, 6", "the text to Figs. 2 and 3"},
                          {"loads of the processors that are not shown", "9", "ours"},
                          {"rounding", "ceiling", "the sign printed for SI; open for RI"}};
  const topology mesh = topology::parse("mesh:4x4");
  constexpr std::size_t parts = 64;
  constexpr unsigned sets = 1U << 16;
  const auto agree = book.sample<int>(parts, 1, [&](std::size_t part) {
    bool all = true;
    for (auto light = static_cast<unsigned>(part); light < sets; light += parts) {
      all = all && proximity_is_distance(mesh, light);
    }
    return static_cast<int>(all);
  });
  book.row(
      "Fig. 1: proximity of every processor",
      "distance to the nearest light processor, at most the diameter",
      proven(std::find(agree.begin(), agree.end(), 0) == agree.end(),
             fmt::format("so for all {} sets of light processors", sets), "not for every set"));
  data_table& table = book.table("activations", {"figure", "loads before", "moved", "loads after"});
  const activation si =
      activate(*make_balancer(sender_initiated_options{.high = 10}), 20, {0, 5, 7, 8}, 9);
  const activation ri =
      activate(*make_balancer(receiver_initiated_options{.low = 6}), 2, {14, 13, 12, 9}, 9);
  add(table, "2 (SI)", "20 0 5 7 8", si.moved, si.left);
  add(table, "3 (RI)", "2 14 13 12 9", ri.moved, ri.left);
  book.row("Fig. 2: SI, load that B, C, D, E get", "8 3 1 0", si.moved);
  book.row("Fig. 2: SI, loads of A to E afterwards", "8 8 8 8 8", si.left);
  book.row("Fig. 3: RI, load that B, C, D, E give", "4 3 2 0", ri.moved);
  book.row("Fig. 3: RI, loads of A to E afterwards", "11 10 10 10 9", ri.left,
           "Nine units come, one more than A lacks: the shares are rounded up.");
}

void loh_table_a(notebook& book) {
  book.done.method =
      "The codes are Zeckendorf's, by which the library makes Fibonacci cubes. The table has the "
      "code of each decimal number; its column of Fibonacci numbers is simply f_0 to f_15.";
  data_table& table = book.table("codes", {"decimal number", "Fibonacci number", "code"});
  std::vector<std::string> numbers;
  std::vector<std::string> written;
  for (unsigned i = 0; i < codes; ++i) {
    numbers.push_back(fmt::to_string(fibonacci_number(i)));
    written.push_back(fmt::format("{:06b}", zeckendorf_code(i)));
    add(table, i, numbers.back(), written.back());
  }
  book.row("Fibonacci numbers f_0 .. f_15", printed_numbers,
           fmt::format("{}", fmt::join(numbers, " ")));
  book.row("codes of 0 .. 15", printed_codes, fmt::format("{}", fmt::join(written, " ")));
  constexpr unsigned largest = 12;
  bool all = true;
  for (unsigned order = 3; order <= largest; ++order) all = all && joins_unit_distances(order);
  book.row("nodes and links of the cube of order n",
           "f_n nodes, joined if their codes differ in one digit",
           proven(all, fmt::format("so for n = 3 .. {}", largest), "not for every n"));
}

}  // namespace evencube::papers
