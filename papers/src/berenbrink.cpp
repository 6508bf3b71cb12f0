#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <evencube/balancers/options.hpp>
#include <evencube/balancers/topology.hpp>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

// Berenbrink et al. 2025 (arXiv 2510.15473), as far as the abstract states the theorem: partners
// that halve their sum, and give the odd unit to either of them at random, end with a difference of
// at most 3, with high probability, on every network and in the time that real loads need.

constexpr load_type most_left = 3;
constexpr load_type most_load = 1000;
/// Whole loads that are this many times as large are balanced as real ones are.
constexpr load_type nearly_real = load_type{1} << 20;
constexpr std::uint64_t most_rounds = 4'000'000;

/// A network in which every node has degree 4: two random cycles through all nodes, drawn again
/// until they share no link.
topology random_regular(std::uint64_t seed, node_id nodes) {
  std::vector<node_id> order(nodes);
  std::iota(order.begin(), order.end(), node_id{0});
  std::vector<std::pair<node_id, node_id>> links;
  for (std::uint32_t attempt = 0;; ++attempt) {
    random_stream random(seed, random_purpose::sampling, attempt);
    links.clear();
    for (int cycle = 0; cycle < 2; ++cycle) {
      for (std::size_t k = nodes - 1; k > 0; --k) std::swap(order[k], order[random.below(k + 1)]);
      for (std::size_t k = 0; k < nodes; ++k) {
        links.push_back(std::minmax(order[k], order[(k + 1) % nodes]));
      }
    }
    std::sort(links.begin(), links.end());
    if (std::adjacent_find(links.begin(), links.end()) == links.end()) {
      return topology::from_edges(links);
    }
  }
}

struct outcome {
  double rounds = 0;
  load_type left = 0;
};

/// Balances until the difference is at most `target`, or for `most` rounds. Plans a part of the
/// rounds at a time, because a plan of all of them may not fit into memory.
outcome even_out(const topology& graph, std::vector<load_type> loads, matching_options how,
                 std::uint64_t seed, std::uint64_t most = most_rounds) {
  // Each plan begins the circuit again, so a part is a whole number of turns.
  const std::uint64_t part =
      how.pairs == matching_pairs::random ? 64 : std::uint64_t{4} * graph.dimensions();
  std::uint64_t rounds = 0;
  plan planned;
  for (std::uint64_t parts = 0; rounds < most && max_difference(loads) > how.target; ++parts) {
    how.rounds = static_cast<std::int64_t>(std::min(part, most - rounds));
    make_balancer(how)->make_plan({.graph = graph, .loads = loads, .seed = seed << 32 | parts},
                                  planned);
    loads = final_loads(planned, loads);
    // Rounds without a transfer at the end of a plan are not in it.
    const bool reached = max_difference(loads) <= how.target;
    rounds += reached ? planned.phases.size() : static_cast<std::uint64_t>(how.rounds);
  }
  return {static_cast<double>(rounds), max_difference(loads)};
}

/// One network, balanced from many loads.
struct cell {
  std::string name;
  topology graph;
  matching_pairs pairs;
  std::size_t draws;
  bool compared;  // with real loads and other rules; else it would take too long
};

/// What one draw of a cell gives.
struct drawn {
  outcome coin;
  double rounds_of_real = 0;  // until the difference is at most 1
  load_type left_by_larger = 0;
  load_type left_by_oem = 0;
  load_type left_by_carry = 0;
};

drawn one_draw(const cell& c, std::uint64_t seed, std::size_t i) {
  const auto loads = uniform_loads(seed, static_cast<std::uint32_t>(i), c.graph.nodes(), most_load);
  const std::uint64_t own = seed + i;
  drawn d;
  d.coin = even_out(c.graph, loads, {.pairs = c.pairs, .target = most_left}, own);
  if (c.graph.is_cube()) d.left_by_oem = left_by(*make_balancer(oem_options{}), c.graph, loads);
  if (!c.compared) return d;
  std::vector<load_type> large = loads;
  for (load_type& load : large) load *= nearly_real;
  d.rounds_of_real =
      even_out(c.graph, large, {.pairs = c.pairs, .target = nearly_real}, own).rounds;
  const auto same_time = static_cast<std::uint64_t>(std::max(d.coin.rounds, 1.0));
  d.left_by_larger =
      even_out(c.graph, loads, {.pairs = c.pairs, .odd = matching_odd::larger, .target = most_left},
               own, same_time)
          .left;
  d.left_by_carry =
      left_by(*make_balancer(diffusion_options{.form = diffusion_form::carry,
                                               .iterations = static_cast<std::int64_t>(same_time)}),
              c.graph, loads);
  return d;
}

std::vector<cell> cells_of(const notebook& book) {
  std::vector<cell> all;
  const auto add_cell = [&](std::string name, const topology& graph, matching_pairs pairs,
                            std::size_t draws, bool compared = true) {
    all.push_back({std::move(name), graph, pairs, draws, compared});
  };
  const auto named = [&](const char* text, matching_pairs pairs, std::size_t draws,
                         bool compared = true) {
    add_cell(text, topology::parse(text), pairs, draws, compared);
  };
  const auto regular = [&](unsigned bits, std::size_t draws, bool compared = true) {
    add_cell("random, degree 4, 2^" + std::to_string(bits) + " nodes",
             random_regular(book.seed(), node_id{1} << bits), matching_pairs::random, draws,
             compared);
  };
  using enum matching_pairs;
  named("hypercube:6", circuit, book.sized(100, 10'000));
  named("hypercube:6", random, book.sized(100, 10'000));
  regular(8, book.sized(40, 10'000));
  named("torus:12x12", random, book.sized(20, 1'000));
  named("star:64", random, book.sized(20, 1'000));
  if (!book.long_form()) return all;
  named("hypercube:10", circuit, 10'000);
  named("hypercube:10", random, 10'000);
  regular(10, 10'000);
  named("torus:64x64", random, 20);
  named("star:1024", random, 100);
  named("hypercube:16", circuit, 100);
  named("hypercube:16", random, 100);
  regular(16, 100);
  named("hypercube:20", circuit, 10, false);
  named("hypercube:20", random, 10, false);
  regular(20, 10, false);
  return all;
}

std::string mean_of(const std::vector<drawn>& draws, bool known, auto&& get) {
  return known ? fixed(over(draws, get).mean, 2) : "-";
}

}  // namespace

void berenbrink_theorem(notebook& book) {
  book.done.method =
      "In each round every node has at most one partner. The two halve their sum, and an odd unit "
      "goes to either of them at random (the balancer `matching`). Loads are drawn, balanced until "
      "they differ by at most 3, and the rounds are counted next to those of nearly real loads, "
      "which the same matchings balance until they differ by at most 1. The same number of rounds "
      "is given to the rule by which the more loaded partner keeps the odd unit, and to diffusion "
      "that carries what it rounded off. The theorem is taken from the abstract, which states no "
      "constants.";
  book.done.parameters = {
      {"loads", fmt::format("0 .. {}, drawn independently", most_load), "ours"},
      {"nearly real loads", "the same, in units of 2^-20", "ours"},
      {"time of real loads, up to a factor of", "2", "ours"},
      {"random networks of degree 4", "two random cycles through all nodes", "ours"}};
  data_table& table = book.table(
      "matchings", {"network", "pairs", "draws", "draws that end within 3", "rounds",
                    "rounds with real loads", "left where the larger keeps the odd unit",
                    "left by one sweep of OEM", "left by diffusion that carries its rest"});
  const auto cells = cells_of(book);
  for (const cell& c : cells) {
    const auto draws =
        book.sample<drawn>(c.draws, 1.0 / static_cast<double>(cells.size()),
                           [&](std::size_t i) { return one_draw(c, book.seed(), i); });
    // Times of the theorem are known up to a constant factor, for which 2 is taken here.
    const auto within = std::count_if(draws.begin(), draws.end(), [&](const drawn& d) {
      return d.coin.left <= most_left && (!c.compared || d.coin.rounds <= 2 * d.rounds_of_real);
    });
    const double rounds = over(draws, [](const drawn& d) { return d.coin.rounds; }).mean;
    const double real = over(draws, [](const drawn& d) { return d.rounds_of_real; }).mean;
    const bool turns = c.pairs == matching_pairs::circuit;
    add(table, c.name, turns ? "circuit" : "random", c.draws, within, fixed(rounds, 1),
        c.compared ? fixed(real, 1) : "-",
        mean_of(draws, c.compared, [](const drawn& d) { return d.left_by_larger; }),
        mean_of(draws, c.graph.is_cube(), [](const drawn& d) { return d.left_by_oem; }),
        mean_of(draws, c.graph.nodes() <= 4096, [](const drawn& d) { return d.left_by_carry; }));
    book.row(c.name + (turns ? ", dimensions in turn" : ", random matchings"),
             "at most 3 with high probability, in the time of real loads",
             claim(static_cast<double>(within) >= 0.99 * static_cast<double>(c.draws),
                   fmt::format("in {} of {} draws, {}", within, c.draws,
                               c.compared ? "in at most twice that time" : "in any time")));
  }
}

}  // namespace evencube::papers
