#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <evencube/balancers/exhaustive.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/presets.hpp>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

using simulator::result;
using simulator::summary;

constexpr std::array networks{"hypercube:3", "hypercube:4", "hypercube:5", "hypercube:6"};
constexpr std::array node_counts{8, 16, 32, 64};

/// By how much OEM is better than the paper's "about 30 %".
constexpr const char* about_30 = "about 30 % better";
finding gain(const summary& percent, std::string text) {
  return margin(percent, 30, 1.0 / 3, std::move(text));
}

/// OEM's mean difference below DEM's over all load vectors of Table 1.
finding gain_over_all_vectors(unsigned dimensions, unsigned most) {
  const auto mean = [&](pair_rule rule) {
    const sorted_load_table table(rule, dimensions, most);
    const difference_counts counts = table.count();
    double sum = 0;
    for (std::size_t d = 0; d < counts.size(); ++d) {
      sum += static_cast<double>(d) * static_cast<double>(counts[d]);
    }
    return sum / static_cast<double>(table.vectors());
  };
  const double percent = (1 - mean(pair_rule::oem) / mean(pair_rule::dem)) * 100;
  return gain({.mean = percent}, fixed(percent, 1) + " % better, all vectors");
}

/// That gain over a random sample of load vectors.
finding gain_over_sampled_vectors(notebook& book, const char* network, load_type most) {
  constexpr std::size_t batches = 20;
  const std::size_t of_batch = book.sized(250, 2'500);
  const topology graph = topology::parse(network);
  const auto dem = make_balancer("dem");
  const auto oem = make_balancer("oem");
  const auto percents = book.sample<double>(batches, 0.05, [&](std::size_t batch) {
    double by_dem = 0;
    double by_oem = 0;
    for (std::size_t i = batch * of_batch; i < (batch + 1) * of_batch; ++i) {
      const auto loads =
          sorted_loads(book.seed(), static_cast<std::uint32_t>(i), graph.nodes(), most);
      by_dem += static_cast<double>(left_by(*dem, graph, loads));
      by_oem += static_cast<double>(left_by(*oem, graph, loads));
    }
    return (1 - by_oem / by_dem) * 100;
  });
  const summary found = simulator::summarise(percents);
  return gain(found, interval(found, 1) + " % better, sampled");
}

/// On the load vectors of Table 1: all vectors of up to 16 nodes, of more a sample.
std::vector<finding> gains_on_sorted_loads(notebook& book) {
  return {gain_over_all_vectors(3, 17), gain_over_all_vectors(4, 12),
          gain_over_sampled_vectors(book, networks[2], 9),
          gain_over_sampled_vectors(book, networks[3], 9)};
}

constexpr std::array<double, 2> processes{1000, 5000};
constexpr std::array methods{"dem", "oem"};
constexpr std::size_t runs = 10;

result run_queues(double count, const char* network, const char* method, std::uint64_t seed) {
  auto s = simulator::make_preset("rim-queueing", {.topology = network, .balancer = method});
  s.what.service = simulator::distribution::exponential(800'000 / count);
  s.what.arrivals.rate = count / 1e6;
  s.what.balance.when.period = 1e7 / count;
  return simulate(s.what, seed);
}

constexpr std::size_t of_network = methods.size() * runs;
constexpr std::size_t of_count = networks.size() * of_network;

/// All runs: by processes, network, method and run.
std::vector<result> run_all_queues(notebook& book, double share) {
  return book.sample<result>(processes.size() * of_count, share, [&](std::size_t i) {
    // Both methods see the same arrivals and demands: the seed depends on the run alone.
    return run_queues(processes[i / of_count], networks[i / of_network % networks.size()],
                      methods[i / runs % methods.size()],
                      simulator::random_source(book.seed()).replication_seed(i % runs));
  });
}

void add_difference(data_table& table, double count, int nodes, const char* method,
                    std::span<const result> found) {
  const auto name = fixed(count, 0);
  const summary after = over(found, [](auto& r) { return r.difference_after; });
  add(table, name, nodes, method, fixed(after.mean, 3), fixed(after.half_width, 3),
      fixed(over(found, [](auto& r) { return r.planned_difference; }).mean, 3),
      fixed(over(found, [](auto& r) { return r.difference_before; }).mean, 2),
      fixed(over(found, [](auto& r) { return r.rounds; }).mean, 1),
      fmt::format("{}, {}", method, name));
}

}  // namespace

void rim_figures_7_8(notebook& book) {
  book.done.method =
      "Poisson arrivals, exponential service, FIFO queues, 1,000,000 time units, 10 runs. At the "
      "end of every window in which some processor was busy more than 55 % of the time, execution "
      "is held and the queue lengths are balanced. The average is over all balancings of a run; "
      "the interval over the runs.";
  book.done.parameters = {
      {"N", "8, 16, 32, 64", "Section 4"},
      {"runs, time units", "10, 1000000", "Section 4"},
      {"overload", "55 % utilisation", "Section 4: 50-60 %"},
      {"1000 lambda, 5000 lambda", "1000 and 5000 processes per processor in a run",
       "our reading; the paper does not define it"},
      {"offered utilisation", "0.8 in both (service mean 800 and 160)", "ours"},
      {"window", "10000 and 2000 (ten arrivals per processor)", "ours"},
      {"transfer of one unit", "1 time unit", "ours"},
      {"loads, best reading", "0 .. 17 (N = 8), 0 .. 12 (16), 0 .. 9 (32 and 64)",
       "those of Table 1; 64 ours"}};
  book.choose_best_reading(
      "The averages are taken over the load vectors of Table 1, the ones the paper counts: all "
      "non-decreasing vectors, each as likely as any other, balanced once by DEM as printed and by "
      "OEM. Then the margin is about 30 % and grows with N, as the paper says; queue lengths of a "
      "simulation, which come in no order, leave half of it. (With the rule behind the DEM columns "
      "of Table 1 instead, DEM is better and the margin at N = 8 only 14 %.)");
  data_table& table = book.table(
      "difference", {"processes", "nodes", "method", "average maximum difference", "half width",
                     "as planned", "difference before", "rounds per run", "curve"});
  const auto results = run_all_queues(book, 0.9);
  const auto sorted = gains_on_sorted_loads(book);
  for (std::size_t i = 0; i < results.size(); i += of_network) {
    const double count = processes[i / of_count];
    const std::size_t size = i / of_network % networks.size();
    const std::span dem{&results[i], runs};
    const std::span oem{&results[i + runs], runs};
    add_difference(table, count, node_counts[size], "dem", dem);
    add_difference(table, count, node_counts[size], "oem", oem);
    std::vector<double> saved;
    for (std::size_t run = 0; run < runs; ++run) {
      saved.push_back((1 - oem[run].planned_difference / dem[run].planned_difference) * 100);
    }
    const summary found = simulator::summarise(saved);
    book.row(fmt::format("OEM's average maximum difference below DEM's, N = {}, {:.0f} processes",
                         node_counts[size], count),
             about_30, gain(found, interval(found, 1) + " % better"),
             "Rates, window and trigger are not in the paper. Compared are the loads the plans "
             "leave; tasks that arrive while a balancing lasts come on top, see the table.",
             sorted[size]);
  }
  book.draw("difference", "Average maximum difference after balancing", table,
            {"processors", {"nodes"}}, {"maximum - minimum load", {"as planned"}},
            {.series = "curve", .log_x = true});
}

namespace {

// Loads of one balancing; the last are the best reading, which also sorts them.
constexpr std::array<load_type, 4> ranges{4, 10, 100, 2};
constexpr std::size_t sorted_range = 3;

/// What one vector of loads gives under the strategies.
struct speedups {
  double none = 0;
  double dem = 0;
  double oem = 0;
  double optimal = 0;
};

speedups measure(std::size_t range, const char* network, std::uint64_t seed, std::size_t index) {
  const topology graph = topology::parse(network);
  simulator::model m;
  m.graph = &graph;
  m.service = simulator::distribution::constant(1);
  m.balance.when.which = simulator::trigger::kind::start;
  m.balance.held = true;
  m.initial = uniform_loads(seed, static_cast<std::uint32_t>(index), graph.nodes(), ranges[range]);
  if (total_load(m.initial) == 0) m.initial[0] = 1;
  if (range == sorted_range) std::sort(m.initial.begin(), m.initial.end());
  const auto by = [&](const char* name) {
    const auto strategy = make_balancer(name);
    m.balance.strategy = strategy.get();
    return simulate(m, seed).speedup;
  };
  return {by("none"), by("dem"), by("oem"), by("optimal")};
}

/// OEM's gain on the whole, as the figure has it: mean speed-up over mean speed-up.
finding gain_on_the_whole(std::span<const speedups> found) {
  double by_dem = 0;
  double by_oem = 0;
  for (const speedups& s : found) {
    by_dem += s.dem;
    by_oem += s.oem;
  }
  const double percent = (by_oem / by_dem - 1) * 100;
  return gain({.mean = percent}, fixed(percent, 1) + " % on sorted loads 0 .. 2");
}

void add_speedups(data_table& table, std::size_t range, int nodes,
                  std::span<const speedups> found) {
  const auto mean = [&](double speedups::* of) {
    return fixed(over(found, [of](auto& s) { return s.*of; }).mean, 3);
  };
  const summary gained = over(found, [](auto& s) { return (s.oem / s.dem - 1) * 100; });
  add(table, fmt::format("{}{}", ranges[range], range == sorted_range ? ", sorted" : ""), nodes,
      mean(&speedups::none), mean(&speedups::dem), mean(&speedups::oem), mean(&speedups::optimal),
      fixed(gained.mean, 2), fixed(gained.half_width, 2));
}

/// The response times of the queues in the event simulation, and what OEM gains, run by run.
void judge_queues(notebook& book, data_table& table, std::span<const result> results,
                  std::span<const finding> sorted) {
  for (std::size_t i = 0; i < results.size(); i += of_network) {
    const double count = processes[i / of_count];
    const std::size_t size = i / of_network % networks.size();
    const std::span dem{&results[i], runs};
    const std::span oem{&results[i + runs], runs};
    std::vector<double> gained;
    for (std::size_t run = 0; run < runs; ++run) {
      gained.push_back((dem[run].mean_response / oem[run].mean_response - 1) * 100);
    }
    const auto response = [](auto& r) { return r.mean_response; };
    const summary found = simulator::summarise(gained);
    add(table, fixed(count, 0), node_counts[size], fixed(over(dem, response).mean, 1),
        fixed(over(oem, response).mean, 1), fixed(found.mean, 2), fixed(found.half_width, 2));
    book.row(
        fmt::format("OEM's speed-up over DEM's, N = {}, {:.0f} processes", node_counts[size],
                    count),
        about_30, gain(found, interval(found, 1) + " %"),
        "The differences that the two leave are a fraction of a task apart (rim-fig-7-8), and a "
        "task waits for those before it in its own queue. So the times hardly change.",
        sorted[size]);
  }
}

}  // namespace

void rim_figure_9(notebook& book) {
  const std::size_t vectors = book.sized(200, 2'000);
  book.done.method =
      "The event simulation of rim-fig-7-8, with its parameters: the speed-up in processing time "
      "is read as the ratio of the mean times that tasks take from arrival to completion. The "
      "second table has what the paper argues with, a + log N against a + ceil(log N / 2) time "
      "units after one balancing, a the least load: random loads of unit tasks, one balancing at "
      "time 0, then run to the end; the speed-up is the number of tasks over the makespan.";
  book.done.parameters = {
      {"event simulation", "that of rim-fig-7-8", "Section 4; rates, window and trigger ours"},
      {"one balancing: tasks", "1 time unit each", "Section 4, a units take a time units"},
      {"one balancing: loads", "uniform 0 .. 4, 0 .. 10, 0 .. 100", "ours"},
      {"one balancing: transfers", "take no time", "ours: the figure is on the effect of balance"},
      {"one balancing: runs", fmt::to_string(vectors), "ours"},
      {"loads, best reading", "uniform 0 .. 2, in ascending order", "chosen"}};
  book.choose_best_reading(
      "One balancing of loads of 0 to 2 units each, laid out in ascending order as in Table 1: few "
      "quanta, so that one at the top counts, and an order in which DEM leaves more. As these are "
      "other loads, both rows of a size say the same.");
  data_table& queues = book.table("queues", {"processes", "nodes", "DEM response", "OEM response",
                                             "OEM over DEM %", "half width %"});
  data_table& table = book.table("speedup", {"greatest load", "nodes", "none", "DEM", "OEM",
                                             "optimal", "OEM over DEM %", "half width %"});
  const auto results = run_all_queues(book, 0.7);
  const std::size_t of_range = networks.size() * vectors;
  const auto found = book.sample<speedups>(ranges.size() * of_range, 0.3, [&](std::size_t i) {
    return measure(i / of_range, networks[i / vectors % networks.size()], book.seed(), i);
  });
  std::vector<finding> sorted;
  for (std::size_t range = 0; range < ranges.size(); ++range) {
    for (std::size_t size = 0; size < networks.size(); ++size) {
      const std::span of{&found[range * of_range + size * vectors], vectors};
      add_speedups(table, range, node_counts[size], of);
      if (range == sorted_range) sorted.push_back(gain_on_the_whole(of));
    }
  }
  judge_queues(book, queues, results, sorted);
  book.draw("response", "Mean time from arrival to completion", queues, {"processors", {"nodes"}},
            {"time units", {"DEM response", "OEM response"}},
            {.series = "processes", .log_x = true});
  book.draw("speedup", "Speed-up after one balancing", table, {"processors", {"nodes"}},
            {"speed-up", {"none", "DEM", "OEM", "optimal"}},
            {.series = "greatest load", .log_x = true});
}

}  // namespace evencube::papers
