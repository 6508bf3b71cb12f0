#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

using simulator::summary;

constexpr load_type most_load = 100;

// The methods of Figs. 12 and 13: OEM, DEM, and CWA with each rule for sharing what is to be given.
constexpr std::array methods{"oem",         "dem",       "cwa even", "cwa proportional",
                             "cwa surplus", "cwa greedy"};
constexpr std::size_t oem = 0;
constexpr std::size_t dem = 1;
constexpr std::size_t cwa_even = 2;

/// What a method takes for one vector of loads.
struct cost {
  double phases = 0;  // sum of the largest transfers of all phases
  double hops = 0;
  double difference = 0;
};
using costs = std::array<cost, methods.size()>;

std::vector<std::unique_ptr<balancer>> make_planners() {
  std::vector<std::unique_ptr<balancer>> made;
  for (const std::string_view name : methods) {
    made.push_back(name.starts_with("cwa ")
                       ? make_balancer("cwa", {{"split", std::string(name.substr(4))}})
                       : make_balancer(name));
  }
  return made;
}

costs measure(const std::vector<std::unique_ptr<balancer>>& planners, const topology& graph,
              const std::vector<load_type>& loads) {
  costs found;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const plan planned = planned_by(*planners[m], graph, loads);
    found[m] = {static_cast<double>(transmission_cost(transmission::phased, loads, planned)),
                static_cast<double>(task_hops(planned)),
                static_cast<double>(max_difference(final_loads(planned, loads)))};
  }
  return found;
}

/// The costs of many vectors of loads.
class study {
 public:
  explicit study(std::size_t samples) : drawn_(samples) {}

  [[nodiscard]] costs& operator[](std::size_t i) { return drawn_[i]; }
  [[nodiscard]] summary phases(std::size_t m) const {
    return over(drawn_, [m](const costs& c) { return c[m].phases; });
  }
  [[nodiscard]] summary hops(std::size_t m) const {
    return over(drawn_, [m](const costs& c) { return c[m].hops; });
  }
  [[nodiscard]] summary saved_by_oem(std::size_t m) const {
    return over(drawn_, [m](const costs& c) { return c[m].phases - c[oem].phases; });
  }
  /// In percent of what the method takes on average.
  [[nodiscard]] double percent_saved_by_oem(std::size_t m) const {
    return (1 - phases(oem).mean / phases(m).mean) * 100;
  }

  void add_row(data_table& table, node_id nodes, std::size_t m, const char* loads) const {
    const summary found = phases(m);
    add(table, nodes, std::string(methods[m]) + loads, fixed(found.mean, 2),
        fixed(found.half_width, 2), fixed(found.mean / phases(oem).mean, 3), fixed(hops(m).mean, 1),
        fixed(over(drawn_, [m](const costs& c) { return c[m].difference; }).mean, 2));
  }

 private:
  std::vector<costs> drawn_;
};

void judge_communication(notebook& book, node_id nodes, const study& uniform,
                         const study& ensemble) {
  double least = 1e300;
  double greatest = 0;
  double most_hops = 0;
  bool every_sign = true;
  for (std::size_t m = cwa_even; m < methods.size(); ++m) {
    least = std::min(least, uniform.percent_saved_by_oem(m));
    greatest = std::max(greatest, uniform.percent_saved_by_oem(m));
    most_hops = std::max(most_hops, uniform.hops(m).mean);
    const summary saved = uniform.saved_by_oem(m);
    every_sign = every_sign && saved.mean - saved.half_width > 0;
  }
  const double percent = ensemble.percent_saved_by_oem(cwa_even);
  book.row(fmt::format("OEM saves communication against CWA, N = {}", nodes), "around 10 %",
           {fmt::format("{:.0f} to {:.0f} %", least, greatest), {.direction = every_sign}},
           "The sign is certain for every split rule. The size depends on the loads and on the "
           "split rule, neither of which the paper gives.",
           margin(percent, 10, 1.0 / 3, fixed(percent, 1) + " %"),
           "Within: two thirds to four thirds of the paper's.");
  const summary of_dem = uniform.hops(dem);
  const double by_cwa = ensemble.hops(cwa_even).mean;
  const double by_dem = ensemble.hops(dem).mean;
  book.row(fmt::format("CWA needs fewer task-hops than DEM, N = {}", nodes),
           "yes (from its reference [5])",
           claim(most_hops < of_dem.mean,
                 fmt::format("CWA at most {:.1f}, DEM {}, OEM {}", most_hops, interval(of_dem, 1),
                             interval(uniform.hops(oem), 1))),
           "", claim(by_cwa < by_dem, fmt::format("CWA {:.1f}, DEM {:.1f}", by_cwa, by_dem)));
}

/// Whether every node has at most one partner in each phase of a plan.
bool one_partner_per_phase(const plan& planned, node_id nodes) {
  for (const auto& phase : planned.phases) {
    std::vector<unsigned> partners(nodes);
    for (const transfer& t : phase) {
      if (++partners[t.from] > 1 || ++partners[t.to] > 1) return false;
    }
  }
  return true;
}

/// What one processor of a d-cube computes and keeps under CWA. In the phase along bit b it
/// compares the totals of its half and of the cube with the quotas, and afterwards brings the
/// totals of the b smaller cubes around it up to date. It keeps the totals of the d halves.
struct walk_counts {
  unsigned most_per_phase = 0;
  unsigned total = 0;
  unsigned kept = 0;
};

walk_counts count_walk(unsigned d) {
  walk_counts counts;
  for (unsigned bit = d; bit-- > 0;) {
    const unsigned computed = bit + 1;
    counts.most_per_phase = std::max(counts.most_per_phase, computed);
    counts.total += computed;
    ++counts.kept;
  }
  return counts;
}

}  // namespace

void rim_figures_10_11(notebook& book) {
  book.done.method =
      "Eight processors are balanced by CWA and by OEM. The cost of a phase is its largest "
      "transfer "
      "over one link. The loads of the figures are in the pictures only; these were searched for, "
      "so what they give is no more than a direction.";
  book.done.parameters = {{"loads", "15 25 10 8 8 11 5 4", "searched for"},
                          {"CWA quotas", "first", "open in the paper; searched for"},
                          {"CWA split", "surplus", "open in the paper; searched for"}};
  const topology network = topology::hypercube(3);
  const std::vector<load_type> loads{15, 25, 10, 8, 8, 11, 5, 4};
  const plan by_cwa =
      planned_by(*make_balancer("cwa", {{"quota", "first"}, {"split", "surplus"}}), network, loads);
  const plan by_oem = planned_by(*make_balancer("oem"), network, loads);
  const auto maxima = [](const plan& planned) {
    std::vector<load_type> all;
    for (const phase& moves : planned.phases) {
      load_type most = 0;
      for (const transfer& t : moves) most = std::max(most, t.quanta);
      all.push_back(most);
    }
    return fmt::format("{}", fmt::join(all, ", "));
  };
  const auto cost = [&](const plan& planned) {
    return transmission_cost(transmission::phased, loads, planned);
  };
  data_table& table = book.table("phases", {"balancer", "largest transfer of each phase", "sum"});
  for (const auto& [name, planned] : {std::pair{"cwa", &by_cwa}, std::pair{"oem", &by_oem}}) {
    add(table, name, maxima(*planned), cost(*planned));
  }
  const auto row = [&](const char* what, const char* paper, const std::string& ours) {
    book.row(what, paper, finding(ours).chosen());
  };
  row("CWA, largest transfer of each phase (Fig. 10)", "14, 11, 5", maxima(by_cwa));
  row("CWA, sum over the phases (Fig. 10)", "30", fmt::to_string(cost(by_cwa)));
  row("OEM, sum over the phases (Fig. 11)", "14", fmt::to_string(cost(by_oem)));
}

void rim_figures_12_13(notebook& book) {
  book.done.method =
      "Random loads are balanced by OEM, DEM and CWA. The cost is the paper's sum over phases of "
      "the largest transfer of the phase; task-hops are the units carried, summed over links. CWA "
      "leaves open how overloaded processors share what their half must give: all four rules are "
      "shown.";
  const std::size_t samples = book.sized(2'000, 20'000);
  book.done.parameters = {
      {"loads", fmt::format("uniform 0 .. {}", most_load), "ours; the paper gives none"},
      {"samples per size", fmt::to_string(samples), "ours"},
      {"CWA quotas", "halving (the registry's default)", "ours; open in the paper"},
      {"N", "8, 16, 32, 64", "the paper shows 8 and 16"},
      {"loads, best reading", "a share of 10 to 90 % of the processors holds 30 to 1000 times more",
       "Section 6.3"},
      {"CWA split, best reading", "even", "chosen; open in the paper"}};
  book.choose_best_reading(
      "The loads are the ones that the paper draws for its other simulation, that of Section 6.3, "
      "over all its values of k and imbalances of 10 to 90 %; and the overloaded processors of a "
      "half share its excess evenly.");
  data_table& table = book.table("costs", {"nodes", "method", "sum of phase maxima", "half width",
                                           "relative to OEM", "task-hops", "difference after"});
  const auto planners = make_planners();
  for (const unsigned d : {3U, 4U, 5U, 6U}) {
    const topology graph = topology::hypercube(d);
    study uniform(samples);
    study ensemble(samples);
    book.run(samples, 0.25, [&](std::size_t i) {
      const auto index = static_cast<std::uint32_t>(i);
      uniform[i] =
          measure(planners, graph, uniform_loads(book.seed(), index, graph.nodes(), most_load));
      ensemble[i] = measure(planners, graph, ensemble_loads(book.seed(), index, graph.nodes()));
    });
    for (std::size_t m = 0; m < methods.size(); ++m) uniform.add_row(table, graph.nodes(), m, "");
    for (const std::size_t m : {oem, dem, cwa_even}) {
      ensemble.add_row(table, graph.nodes(), m, ", Section 6.3");
    }
    if (d <= 4) judge_communication(book, graph.nodes(), uniform, ensemble);
  }
  book.draw("costs", "Sum of phase maxima, uniform loads 0 .. 100", table,
            {"processors", {"nodes"}}, {"communication (T_comm)", {"sum of phase maxima"}},
            {.series = "method", .bars = true});
}

void rim_table_2(notebook& book) {
  book.done.method =
      "The table of the paper is asymptotic. The row on the difference is measured on random loads "
      "of growing cubes. The other rows are counted: for OEM the partners of a processor in its "
      "plan, each of which it asks once and with each of which it halves one sum; for CWA the "
      "totals of the cubes of one processor that its rule needs in each phase.";
  const std::size_t samples = book.sized(200, 2'000);
  book.done.parameters = {{"loads", fmt::format("uniform 0 .. {}", most_load), "ours"},
                          {"samples per size", fmt::to_string(samples), "ours"}};
  data_table& table = book.table(
      "growth", {"nodes", "OEM information steps", "CWA information steps", "OEM bound",
                 "OEM worst difference seen", "OEM mean difference", "CWA worst difference seen",
                 "OEM computations", "CWA computations", "CWA totals kept"});
  const auto by_oem = make_balancer("oem");
  const auto by_cwa = make_balancer("cwa");
  bool oem_in_bound = true;
  bool cwa_uniform = true;
  bool steps_as_stated = true;
  bool walk_as_stated = true;
  for (unsigned d = 2; d <= 12; ++d) {
    const topology graph = topology::hypercube(d);
    const auto loads_of = [&](std::size_t i) {
      return uniform_loads(book.seed(), static_cast<std::uint32_t>(i), graph.nodes(), most_load);
    };
    struct differences {
      load_type oem = 0;
      load_type cwa = 0;
    };
    const auto left = book.sample<differences>(samples, 1 / 11.0, [&](std::size_t i) {
      const auto loads = loads_of(i);
      return differences{left_by(*by_oem, graph, loads), left_by(*by_cwa, graph, loads)};
    });
    const summary after_oem = over(left, [](auto& l) { return l.oem; });
    const summary after_cwa = over(left, [](auto& l) { return l.cwa; });
    // CWA gathers totals over a tree as deep as the cube is wide, and broadcasts them again.
    const unsigned steps_of_cwa = 2 * graph.diameter();
    const plan exchanged = planned_by(*by_oem, graph, loads_of(0));
    const walk_counts walk = count_walk(d);
    steps_as_stated = steps_as_stated && steps_of_cwa == 2 * d && exchanged.phases.size() == d &&
                      one_partner_per_phase(exchanged, graph.nodes());
    walk_as_stated = walk_as_stated && walk.most_per_phase == d && walk.kept == d &&
                     walk.total == d * (d + 1) / 2;
    const unsigned bound = (d + 1) / 2;
    oem_in_bound = oem_in_bound && after_oem.maximum <= bound;
    cwa_uniform = cwa_uniform && after_cwa.maximum <= 1;
    add(table, graph.nodes(), "1", steps_of_cwa, bound, fixed(after_oem.maximum, 0),
        fixed(after_oem.mean, 3), fixed(after_cwa.maximum, 0), exchanged.phases.size(), walk.total,
        walk.kept);
  }
  book.draw("growth", "Difference after balancing, uniform loads 0 .. 100", table,
            {"processors", {"nodes"}},
            {"maximum - minimum load",
             {"OEM bound", "OEM worst difference seen", "OEM mean difference",
              "CWA worst difference seen"}},
            {.log_x = true});
  book.row("maximum difference of OEM", "ceil(log N / 2)",
           claim(oem_in_bound, oem_in_bound ? "never above, N = 4 .. 4096" : "above the bound"),
           "A sample never proves a bound; that it is attained and never passed is proven by the "
           "enumeration of reachable states in the tests of the balancers.");
  book.row("maximum difference of CWA", "0 or 1", proven(cwa_uniform, "0 or 1", "above 1"));
  book.row("steps to collect information, OEM and CWA", "1 and 2 log N",
           proven(steps_as_stated, "1 (per phase) and 2 log N", "not these"),
           "By construction: OEM asks the partner of the phase, CWA gathers totals and broadcasts "
           "them over a tree.");
  const bool counted = steps_as_stated && walk_as_stated;
  book.row("additional computation in a phase, OEM and CWA", "1 and log N",
           claim(counted, "1 and at most log N"), "CWA's last phase takes one computation.");
  book.row("total computation, OEM and CWA", "log N and log^2 N",
           claim(counted, "log N and log N (log N + 1) / 2"));
  book.row("storage, OEM and CWA", "1 and log N", claim(counted, "1 and log N"),
           "A processor keeps its own load under OEM, and the totals of its halves under CWA.");
}

}  // namespace evencube::papers
