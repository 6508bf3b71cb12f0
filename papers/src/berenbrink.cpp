#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <evencube/balancers/diffusion.hpp>
#include <evencube/balancers/options.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/evencube.hpp>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

// Berenbrink et al. 2025 (arXiv 2510.15473), as far as the abstract states the theorem: partners
// that halve their sum, and give the odd unit to either of them at random, end with a difference of
// at most 3, with high probability, on every network and in the time that real loads need.

using simulator::summary;

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

/// Networks of more nodes are balanced a few rounds at a time.
constexpr node_id large_network = 100'000;
/// The rounds for which links of such networks carry their errors.
constexpr std::uint64_t carried_rounds = 64;

/// The rounds of one plan. A plan of all of them may not fit into memory.
std::uint64_t rounds_of_plan(const topology& graph, const matching_options& how) {
  const bool large = graph.nodes() > large_network;
  // Each plan forgets the errors that links carry.
  if (how.odd == matching_odd::carried) return large ? carried_rounds : 1'000'000;
  // Each plan begins the circuit again, so a part is a whole number of turns.
  if (how.pairs == matching_pairs::circuit) return graph.dimensions();
  return large ? 8 : 64;
}

/// Balances until the difference is at most `target`, or for `most` rounds.
outcome even_out(const topology& graph, std::vector<load_type> loads, matching_options how,
                 std::uint64_t seed, std::uint64_t most = most_rounds) {
  const std::uint64_t part = rounds_of_plan(graph, how);
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

/// The probability that a link is in a random matching of a network in which the neighbours of `a`
/// have the degree of `b`, and those of `b` the degree of `a`: on networks with one degree, and on
/// stars, it is the same for all links. One end offers itself to the other, which accepts, and
/// takes this offer among those that it gets.
double link_probability(const topology& graph, node_id a, node_id b) {
  const auto one_way = [&](double from, double to) {
    return (1 - std::pow(1 - 1 / (2 * from), to)) / (2 * to);
  };
  return one_way(graph.degree(a), graph.degree(b)) + one_way(graph.degree(b), graph.degree(a));
}

/// One network, balanced from many loads.
struct cell {
  std::string name;
  topology graph;
  matching_pairs pairs;
  std::size_t draws;
  std::size_t compared;  // draws that are also balanced as real loads and by other rules
  double gap;            // the second smallest eigenvalue of the network's Laplacian

  [[nodiscard]] bool turns() const { return pairs == matching_pairs::circuit; }
  /// "hypercube in turn", "hypercube", "random": what cells that differ in size have in common.
  [[nodiscard]] std::string kind() const {
    return name.substr(0, name.find_first_of(":,")) + (turns() ? " in turn" : "");
  }

  /// Rounds after which real loads differ by at most 1, with a probability of at least 1 - 1/n. A
  /// matching projects the loads, so each round takes at least the share `contraction` of the
  /// expected squared deviation, which begins with at most n most_load^2 and must end below
  /// 1/(4 n) (Markov). On cubes in turn one sweep is exact (Cybenko 1989, Theorem 4).
  [[nodiscard]] double spectral_bound() const {
    if (turns()) return graph.dimensions();
    const double contraction = link_probability(graph, 0, graph.neighbour(0, 0)) * gap / 2;
    return 2 * std::log(2.0 * graph.nodes() * most_load) / contraction;
  }
};

/// What one draw of a cell gives.
struct drawn {
  outcome coin;
  bool compared = false;
  double rounds_of_real = 0;  // until the difference is at most 1
  load_type left_by_larger = 0;
  load_type left_by_carried = 0;    // matching, quasirandom
  load_type left_by_diffusion = 0;  // the same
  load_type left_by_oem = 0;
};

drawn one_draw(const cell& c, std::uint64_t seed, std::size_t i) {
  const auto loads = uniform_loads(seed, static_cast<std::uint32_t>(i), c.graph.nodes(), most_load);
  const std::uint64_t own = seed + i;
  drawn d;
  d.coin = even_out(c.graph, loads, {.pairs = c.pairs, .target = most_left}, own);
  d.compared = i < c.compared;
  if (!d.compared) return d;
  if (c.graph.is_cube()) d.left_by_oem = left_by(*make_balancer(oem_options{}), c.graph, loads);
  std::vector<load_type> large = loads;
  for (load_type& load : large) load *= nearly_real;
  d.rounds_of_real =
      even_out(c.graph, large, {.pairs = c.pairs, .target = nearly_real}, own).rounds;
  const auto same_time = static_cast<std::uint64_t>(std::max(d.coin.rounds, 1.0));
  const auto left_with = [&](matching_odd odd) {
    const matching_options how{.pairs = c.pairs, .odd = odd, .target = most_left};
    return even_out(c.graph, loads, how, own, same_time).left;
  };
  d.left_by_larger = left_with(matching_odd::larger);
  d.left_by_carried = left_with(matching_odd::carried);
  d.left_by_diffusion =
      left_by(*make_balancer(diffusion_options{.form = diffusion_form::carry,
                                               .iterations = static_cast<std::int64_t>(same_time)}),
              c.graph, loads);
  return d;
}

std::vector<cell> cells_of(const notebook& book) {
  std::vector<cell> all;
  using enum matching_pairs;
  const auto named = [&](const char* text, matching_pairs pairs, std::size_t draws,
                         std::size_t compared) {
    const topology graph = topology::parse(text);
    all.push_back({text, graph, pairs, draws, compared, spectrum(graph).second});
  };
  const auto regular = [&](unsigned bits, std::size_t draws, std::size_t compared) {
    const topology graph = random_regular(book.seed(), node_id{1} << bits);
    // The second eigenvalue of large random networks tends to this value (Friedman 2008).
    const double gap = bits <= 10 ? spectrum(graph).second : 4 - 2 * std::sqrt(3.0);
    all.push_back({"random, degree 4, 2^" + std::to_string(bits) + " nodes", graph, random, draws,
                   compared, gap});
  };
  if (!book.long_form()) {
    named("hypercube:6", circuit, 100, 100);
    named("hypercube:6", random, 100, 100);
    regular(8, 40, 40);
    named("torus:12x12", random, 20, 20);
    named("star:64", random, 20, 20);
    return all;
  }
  named("hypercube:6", circuit, 10'000, 10'000);
  named("hypercube:6", random, 10'000, 10'000);
  named("hypercube:10", circuit, 10'000, 1'000);
  named("hypercube:10", random, 10'000, 1'000);
  named("hypercube:16", circuit, 100, 10);
  named("hypercube:16", random, 100, 10);
  named("hypercube:20", circuit, 10, 2);
  named("hypercube:20", random, 10, 1);
  regular(8, 10'000, 1'000);
  regular(10, 10'000, 1'000);
  regular(16, 100, 10);
  regular(20, 10, 1);
  named("torus:12x12", random, 1'000, 1'000);
  named("torus:32x32", random, 1'000, 20);
  named("torus:64x64", random, 100, 10);
  named("star:64", random, 1'000, 1'000);
  named("star:1024", random, 100, 10);
  return all;
}

/// The mean over the draws that were compared.
std::string mean_of(const std::vector<drawn>& draws, bool known, auto&& get) {
  std::vector<drawn> compared;
  std::copy_if(draws.begin(), draws.end(), std::back_inserter(compared),
               [](const drawn& d) { return d.compared; });
  return known ? fixed(over(compared, get).mean, 2) : "-";
}

/// Whether the draw ended within the theorem's difference in the time of real loads. Such times are
/// known up to a constant factor, for which 2 is taken here.
bool as_claimed(const drawn& d, double bound) {
  return d.coin.left <= most_left && d.coin.rounds <= 2 * (d.compared ? d.rounds_of_real : bound);
}

/// Draws loads for workers that stand still, and counts the draws after which their queues hold
/// what the plan says and differ by at most 3.
std::size_t balanced_under_hold(unsigned workers, std::size_t draws, std::uint64_t seed) {
  runtime rt({.workers = workers,
              .balancer = std::string(matching_options::balancer),
              .options = matching_options{.rounds = 100'000, .target = most_left},
              .mode = balancer_mode::on_demand,
              .pin = false});
  std::size_t good = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    std::atomic<load_type> ran{0};
    load_type spawned = 0;
    task_group group(rt);
    {
      hold_guard still = rt.hold();
      const auto loads =
          uniform_loads(seed, static_cast<std::uint32_t>(i), workers, most_load / 10);
      for (unsigned k = 0; k < workers; ++k) {
        for (load_type j = 0; j < loads[k]; ++j, ++spawned) {
          // relaxed: the wait for the group publishes the sum
          group.spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); }, {.home = k});
        }
      }
      const balancing_round round = still.balance();
      const auto left = still.loads();
      if (round.loads == loads && left == final_loads(round.planned, loads) &&
          max_difference(left) <= most_left) {
        ++good;
      }
    }
    group.wait();
    if (ran.load(std::memory_order_relaxed) != spawned) return 0;
  }
  return good;
}

constexpr const char* theorem = "at most 3 with high probability, in the time of real loads";

void judge_threads(notebook& book) {
  const std::size_t draws = book.sized(5, 100);
  data_table& table =
      book.table("threads", {"workers", "draws", "draws that end as planned and within 3"});
  for (const unsigned workers : {8U, 16U, 64U}) {
    const std::size_t good = balanced_under_hold(workers, draws, book.seed());
    add(table, workers, draws, good);
    book.row(fmt::format("{} threads that stand still, random matchings", workers), theorem,
             claim(static_cast<double>(good) >= 0.99 * static_cast<double>(draws),
                   fmt::format("in {} of {} draws the queues are as planned and within 3", good,
                               draws)));
  }
}

}  // namespace

void berenbrink_theorem(notebook& book) {
  book.done.method =
      "In each round every node has at most one partner. The two halve their sum, and an odd unit "
      "goes to either of them at random (the balancer `matching`). Loads are drawn and balanced "
      "until they differ by at most 3. The rounds are compared with those of nearly real loads, "
      "which the same matchings balance until they differ by at most 1, and with a bound for "
      "real loads: 2 ln(2 n K) / gamma, where K is the largest load and gamma the share of the "
      "squared deviation that a round takes from the slowest mode (half the network's second "
      "eigenvalue times the probability that a link is in the matching); on cubes in turn it is "
      "one sweep. The same matchings and rounds are given to the rule by which the more loaded "
      "partner keeps the odd unit, and to quasirandom rounding, by which each link carries its "
      "rounding error: its two ends get the odd unit in turn. As many iterations are given to "
      "diffusion that carries its errors so. The theorem is taken from the abstract, which states "
      "no constants. The same "
      "balancer then moves real tasks between threads that stand still.";
  book.done.parameters = {
      {"loads", fmt::format("0 .. {}, drawn independently", most_load), "ours"},
      {"loads of threads", fmt::format("0 .. {} tasks, drawn independently", most_load / 10),
       "ours"},
      {"nearly real loads", "the same, in units of 2^-20", "ours"},
      {"time of real loads, up to a factor of", "2", "ours"},
      {"time of real loads of draws that are not compared", "the spectral bound", "ours"},
      {"high probability", "99 % of the draws", "ours"},
      {"rounds after which links forget their errors",
       fmt::format("{} on networks of more than {} nodes, otherwise never", carried_rounds,
                   large_network),
       "ours; a plan has to fit into memory"},
      {"random networks of degree 4", "two random cycles through all nodes", "ours"}};
  data_table& table = book.table(
      "matchings", {"network", "pairs", "draws", "draws that end within 3", "rounds", "most rounds",
                    "spectral bound", "draws compared", "rounds with real loads",
                    "left with the odd unit at random", "left where the larger keeps the odd unit",
                    "left by quasirandom rounding", "left by quasirandom diffusion",
                    "left by one sweep of OEM", "OEM's bound"});
  data_table& growth = book.table("growth", {"kind", "nodes", "rounds", "spectral bound", "coin",
                                             "larger keeps", "quasirandom"});
  const auto cells = cells_of(book);
  for (const cell& c : cells) {
    const auto draws =
        book.sample<drawn>(c.draws, 1.0 / static_cast<double>(cells.size()),
                           [&](std::size_t i) { return one_draw(c, book.seed(), i); });
    const double bound = c.spectral_bound();
    const auto within =
        std::count_if(draws.begin(), draws.end(), [](auto& d) { return d.coin.left <= most_left; });
    const auto claimed = std::count_if(draws.begin(), draws.end(),
                                       [&](const drawn& d) { return as_claimed(d, bound); });
    const summary rounds = over(draws, [](const drawn& d) { return d.coin.rounds; });
    const bool cube = c.graph.is_cube();
    add(table, c.name, c.turns() ? "circuit" : "random", c.draws, within, fixed(rounds.mean, 1),
        fixed(rounds.maximum, 0), fixed(bound, 0), c.compared,
        mean_of(draws, true, [](const drawn& d) { return d.rounds_of_real; }),
        mean_of(draws, true, [](const drawn& d) { return d.coin.left; }),
        mean_of(draws, true, [](const drawn& d) { return d.left_by_larger; }),
        mean_of(draws, true, [](const drawn& d) { return d.left_by_carried; }),
        mean_of(draws, true, [](const drawn& d) { return d.left_by_diffusion; }),
        mean_of(draws, cube, [](const drawn& d) { return d.left_by_oem; }),
        cube ? fmt::to_string((c.graph.dimensions() + 1) / 2) : "-");
    const auto& row = table.rows.back();
    add(growth, c.kind(), c.graph.nodes(), row[4], row[6], row[9], row[10], row[11]);
    book.row(c.name + (c.turns() ? ", dimensions in turn" : ", random matchings"), theorem,
             claim(static_cast<double>(claimed) >= 0.99 * static_cast<double>(c.draws),
                   fmt::format("in {} of {} draws within 3, in {} in at most twice that time",
                               within, c.draws, claimed)));
  }
  book.draw("rounds", "Rounds until loads of 0 .. 1000 differ by at most 3", growth,
            {"nodes", {"nodes"}}, {"rounds", {"rounds", "spectral bound"}},
            {.series = "kind", .log_x = true, .log_y = true});
  book.draw("left", "Difference left after the same number of rounds", growth, {"nodes", {"nodes"}},
            {"maximum - minimum load", {"coin", "larger keeps", "quasirandom"}},
            {.series = "kind", .log_x = true, .log_y = true});
  judge_threads(book);
}

}  // namespace evencube::papers
