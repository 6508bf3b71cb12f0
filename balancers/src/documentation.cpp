#include <evencube/balancers/documentation.hpp>

#include <array>
#include <cmath>
#include <numeric>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

#include "splitmix.hpp"

namespace evencube {
namespace {

/// One row of a Markdown table.
class row {
 public:
  row& operator<<(const std::string& cell) {
    text_ += "| ";
    text_ += cell;
    text_ += ' ';
    return *this;
  }
  [[nodiscard]] std::string end() const { return text_ + "|\n"; }

 private:
  std::string text_;
};

std::string table_of_balancers() {
  std::string text =
      "| balancer | what it does | information used | final difference | largest deviation from "
      "a node's share with unequal speeds | order kept | networks | plan cost | source |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& d : registered_balancers()) {
    const auto& g = d.guarantees;
    row cells;
    cells << "`" + d.name + "`" << d.summary << d.information << g.difference_text
          << (g.honours_capacities ? g.deviation_text : std::string("refused"))
          << (g.preserves_order ? std::string("yes") : std::string("no")) << g.supports_text
          << g.plan_cost << d.source;
    text += cells.end();
  }
  return text;
}

std::string tables_of_options() {
  std::string text =
      "| balancer | option | what it sets | default | allowed |\n|---|---|---|---|---|\n";
  for (const auto& d : registered_balancers()) {
    for (const auto& option : d.options) {
      std::string allowed = option.allowed;
      for (const auto& word : option.choices) {
        if (!allowed.empty()) allowed += ", ";
        allowed += '`';
        allowed += word;
        allowed += '`';
      }
      row cells;
      cells << "`" + d.name + "`" << "`" + option.name + "`" << option.summary
            << "`" + option.default_value + "`" << allowed;
      text += cells.end();
    }
  }
  return text;
}

/// Loads of 1, except that a part of the nodes, drawn at random, has `times` as much.
std::vector<load_type> uneven_loads(std::size_t nodes, double part, load_type times,
                                    splitmix& draw) {
  std::vector<load_type> loads(nodes, 1);
  auto heavy = static_cast<std::size_t>(std::lround(part * static_cast<double>(nodes)));
  while (heavy > 0) {
    load_type& load = loads[draw.below(nodes)];
    if (load == times) continue;
    load = times;
    --heavy;
  }
  return loads;
}

std::string two_digits(double value) {
  const auto hundredths = std::lround(value * 100);
  std::string text = std::to_string(hundredths / 100);
  text += '.';
  if (hundredths % 100 < 10) text += '0';
  return text + std::to_string(hundredths % 100);
}

/// The mean costs relative to `phased`, over the multiples of Figures 22 and 23 of the paper.
std::array<double, 3> relative_costs(const balancer& made, const topology& graph, double part) {
  constexpr std::array<load_type, 7> multiples{30, 50, 70, 100, 400, 700, 1000};
  constexpr int samples = 60;
  constexpr std::array<transmission, 3> compared{transmission::overlapped_rounds,
                                                 transmission::overlapped, transmission::pipelined};
  std::array<double, 3> sums{};
  splitmix draw(22);
  plan out;
  for (const load_type times : multiples) {
    for (int i = 0; i < samples; ++i) {
      const auto loads = uneven_loads(graph.nodes(), part, times, draw);
      made.make_plan({.graph = graph, .loads = loads}, out);
      const auto whole = static_cast<double>(transmission_cost(transmission::phased, loads, out));
      for (std::size_t t = 0; t < compared.size(); ++t) {
        sums[t] += static_cast<double>(transmission_cost(compared[t], loads, out)) / whole;
      }
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(multiples.size() * samples);
  return sums;
}

std::string table_of_transmissions() {
  std::string text =
      "| balancer | nodes | share of loaded nodes | overlapped, rounds | overlapped | pipelined |\n"
      "|---|---|---|---|---|---|\n";
  for (const char* name : {"dem", "oem", "cwa"}) {
    const auto made = make_balancer(name);
    for (const unsigned dimensions : {3U, 4U}) {
      for (const int percent : {20, 30, 40, 50, 60, 70, 80}) {
        const auto graph = topology::hypercube(dimensions);
        const auto costs = relative_costs(*made, graph, percent / 100.0);
        row cells;
        cells << "`" + std::string(name) + "`" << std::to_string(graph.nodes())
              << std::to_string(percent) + " %" << two_digits(costs[0]) << two_digits(costs[1])
              << two_digits(costs[2]);
        text += cells.end();
      }
    }
  }
  return text;
}

}  // namespace

std::string balancer_page() {
  return "# Balancers\n\n"
         "This page is generated from the registry (`balancer_page()`), and a test keeps it up "
         "to date. N is the number of nodes, E the number of links, and c_k the capacity of "
         "node k. Each balancer declares its properties as data, and the conformance kit checks "
         "them.\n\n" +
         table_of_balancers() +
         "\n"
         "The page [incomplete-cubes.md](incomplete-cubes.md) explains how balancers plan "
         "on cubes of any size, and [writing-a-balancer.md](writing-a-balancer.md) explains how "
         "to add a balancer.\n\n"
         "## Options\n\n" +
         tables_of_options() +
         "\n"
         "Decimals are exact: a tenth of 10 is 1. Products and quotients of quanta are exact and "
         "are rounded once, where the balancer's rule says so. Speeds and measured times are "
         "floating-point numbers. Each of these numbers stands for the simplest fraction that "
         "rounds to it, or for its shortest decimal.\n\n"
         "## What a transmission saves\n\n"
         "The table shows the cost in T_comm relative to `phased`. Each figure is the mean "
         "over loads in which a share of the nodes, drawn at random, holds 30, 50, 70, 100, "
         "400, 700 or 1000 times the load of the others (which hold 1), as in Rim et al. 2003, "
         "Figures 22 and 23. With few loaded nodes, overlapping saves little, and pipelining "
         "saves much. With many loaded nodes, overlapping saves much, and pipelining saves "
         "little more.\n\n" +
         table_of_transmissions();
}

}  // namespace evencube
