#include <algorithm>
#include <array>
#include <cmath>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

#include "experiments.hpp"
#include "load_samples.hpp"
#include "support.hpp"

namespace evencube::papers {
namespace {

constexpr std::array<load_type, 7> factors{30, 50, 70, 100, 400, 700, 1000};
constexpr std::array imbalances{10U, 20U, 30U, 40U, 50U, 60U, 70U, 80U, 90U};
constexpr std::array strategies{"cwa", "dem", "oem"};
constexpr std::array ways{transmission::phased, transmission::overlapped, transmission::pipelined};

struct ratios {
  double overlapped = 0;
  double pipelined = 0;
};

// Costs normalised by the phase-by-phase method, the sums over placements for each factor, then the
// mean over factors: so no factor outweighs another.
ratios measure(const balancer& strategy, const topology& graph, unsigned imbalance,
               std::size_t placements, std::uint64_t seed) {
  const auto heavy =
      std::max<node_id>(1, static_cast<node_id>(std::lround(imbalance * graph.nodes() / 100.0)));
  ratios mean;
  plan planned;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    std::array<double, ways.size()> sums{};
    for (std::size_t i = 0; i < placements; ++i) {
      const auto loads = uneven_loads(seed, static_cast<std::uint32_t>(i * factors.size() + f),
                                      graph.nodes(), heavy, factors[f]);
      strategy.make_plan({.graph = graph, .loads = loads}, planned);
      for (std::size_t w = 0; w < ways.size(); ++w) {
        sums[w] += static_cast<double>(transmission_cost(ways[w], loads, planned));
      }
    }
    mean.overlapped += sums[1] / sums[0] / static_cast<double>(factors.size());
    mean.pipelined += sums[2] / sums[0] / static_cast<double>(factors.size());
  }
  return mean;
}

}  // namespace

reproduction rim_figures_22_23(const reproduce_options& options) {
  reproduction done;
  done.id = "rim-fig-22-23";
  done.title = "Overlapping and pipelining over the evenness of the loads";
  done.source = "Rim, Jang, Kim 2003, Figs. 22 and 23, Section 6.3";
  const std::size_t placements = options.long_form ? 1'000 : 60;
  done.method =
      "A share of the processors (the paper's imbalance, in percent), placed at random, holds k "
      "times the load of the others. Costs in T_comm, normalised by the same plan carried out "
      "phase "
      "by phase, averaged over the values of k.";
  done.parameters = {{"k", "30, 50, 70, 100, 400, 700, 1000", "Section 6.3"},
                     {"load of the others", "1", "ours"},
                     {"placements per k", text_of(placements), "ours"},
                     {"loaded processors", "imbalance * N / 100, rounded, at least 1", "ours"}};
  data_table table{
      "ratios", {"nodes", "method", "imbalance", "overlapped", "pipelined", "curve"}, {}};
  struct cell {
    std::size_t size, strategy, imbalance;
    ratios found;
    bool drawn;
  };
  std::vector<cell> cells;
  for (std::size_t size = 0; size < 2; ++size) {
    for (std::size_t s = 0; s < strategies.size(); ++s) {
      for (std::size_t i = 0; i < imbalances.size(); ++i) cells.push_back({size, s, i, {}, false});
    }
  }
  const std::array graphs{topology::hypercube(3), topology::hypercube(4)};
  std::vector<std::unique_ptr<balancer>> made;
  for (const char* name : strategies) made.push_back(make_balancer(name));
  sampler work(options);
  work.run(cells.size(), 0, 1, [&](std::size_t c) {
    cell& at = cells[c];
    at.found = measure(*made[at.strategy], graphs[at.size], imbalances[at.imbalance], placements,
                       options.seed);
    at.drawn = true;
  });
  done.partial = work.stopped();
  for (const cell& at : cells) {
    if (!at.drawn) continue;
    const auto nodes = text_of(graphs[at.size].nodes());
    table.rows.push_back({nodes, strategies[at.strategy], text_of(imbalances[at.imbalance]),
                          fixed(at.found.overlapped, 3), fixed(at.found.pipelined, 3),
                          std::string(strategies[at.strategy]) + ", N = " + nodes});
  }
  done.tables.push_back(table);
  done.pictures = {{"overlapped",
                    "Overlapped, relative to phase by phase",
                    "ratios",
                    "imbalance",
                    {"overlapped"},
                    "curve",
                    "imbalance (% of processors loaded)",
                    "communication / phased"},
                   {"pipelined",
                    "Pipelined, relative to phase by phase",
                    "ratios",
                    "imbalance",
                    {"pipelined"},
                    "curve",
                    "imbalance (% of processors loaded)",
                    "communication / phased"}};
  if (done.partial) return done;
  for (std::size_t size = 0; size < 2; ++size) {
    for (std::size_t s = 0; s < strategies.size(); ++s) {
      const auto find = [&](unsigned imbalance) {
        return std::find_if(cells.begin(), cells.end(),
                            [&](const cell& at) {
                              return at.size == size && at.strategy == s &&
                                     imbalances[at.imbalance] == imbalance;
                            })
            ->found;
      };
      const ratios severe = find(20);
      const ratios mild = find(70);
      const bool severe_holds = 1 - severe.overlapped < severe.overlapped - severe.pipelined;
      const bool mild_holds = 1 - mild.overlapped > mild.overlapped - mild.pipelined;
      const auto name = std::string(strategies[s]) + ", N = " + text_of(graphs[size].nodes());
      const auto numbers = [](const ratios& r) {
        return "overlapped " + fixed(r.overlapped, 2) + ", pipelined " + fixed(r.pipelined, 2);
      };
      done.verdicts.push_back({"imbalance 20 %, " + name,
                               "overlapping gains little, pipelining much", numbers(severe),
                               severe_holds ? agreement::within : agreement::opposite,
                               "Read as: pipelining gains more than overlapping did."});
      done.verdicts.push_back({"imbalance 70 %, " + name,
                               "overlapping gains much, pipelining little more", numbers(mild),
                               mild_holds ? agreement::within : agreement::opposite,
                               "Read as: overlapping gains more than pipelining adds."});
    }
  }
  return done;
}

}  // namespace evencube::papers
