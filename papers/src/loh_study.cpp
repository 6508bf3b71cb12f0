#include "loh_study.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>

namespace evencube::papers {
namespace {

using simulator::normalised_performance;
using simulator::random_source;

simulator::model common_model(const topology& graph, std::size_t setting) {
  simulator::model m;
  m.graph = &graph;
  m.service = simulator::distribution::uniform(0.2, 0.8);
  m.draw_initial = [stable = setting == 0](std::uint64_t seed) {
    return simulator::loh_loads(stable, loh_nodes, seed);
  };
  m.costs = simulator::loh_costs();
  return m;
}

// Which strategies a parameter concerns, a bit for each in the order of loh_strategies.
constexpr unsigned gm = 1;
constexpr unsigned si = 2;
constexpr unsigned ri = 4;
constexpr unsigned lbc = 8;
constexpr unsigned pred = 16;

/// A parameter of the search: its values and how a reading takes one.
struct searched {
  const char* name;
  unsigned concerns;
  std::vector<const char*> values;
  void (*set)(loh_reading& reading, const char* value);
};

/// Takes "5, 0.25". Together, as moving half as much twice as often is much the same.
void set_interval_and_portion(loh_reading& r, const char* value) {
  r.interval = std::atof(value);
  r.prediction_portion = std::string_view(value).substr(std::string_view(value).find(' ') + 1);
}

const std::vector<searched> parameters_searched{
    {"pause s",
     gm | si | ri | lbc,
     {"1", "2", "5", "10"},
     [](auto& r, auto* value) { r.pause = std::atof(value); }},
    {"interval of Pred s, portion of Pred",
     pred,
     {"5, 0.1",   "5, 0.25", "5, 0.4",   "5, 0.5",  "5, 0.75",  "10, 0.1", "10, 0.25",
      "10, 0.4",  "10, 0.5", "10, 0.75", "20, 0.1", "20, 0.25", "20, 0.4", "20, 0.5",
      "20, 0.75", "40, 0.1", "40, 0.25", "40, 0.4", "40, 0.5",  "40, 0.75"},
     set_interval_and_portion},
    // All that lies above the mark is the most that GM can send.
    {"portion of GM",
     gm,
     {"0.1", "0.25", "0.4", "0.5", "0.75", "1"},
     [](auto& r, auto* value) { r.gradient_portion = value; }},
    // A dispatcher gives half of a difference at most.
    {"portion of LBC",
     lbc,
     {"0.1", "0.25", "0.4", "0.5"},
     [](auto& r, auto* value) { r.dispatcher_portion = value; }},
    {"index of Pred",
     pred,
     {"printed", "predicted"},
     [](auto& r, auto* value) { r.predicted = value == std::string_view("predicted"); }},
    {"messages of a broadcast",
     pred,
     {"one per receiver", "one"},
     [](auto& r, auto* value) { r.one_broadcast = value == std::string_view("one"); }},
    {"rounding of SI and RI",
     si | ri,
     {"ceiling", "nearest"},
     [](auto& r, auto* value) { r.rounding = value; }},
    // Nothing at all is ruled out by the text, in which LBC and Pred depend on the network.
    {"cost of passing a task on s",
     lbc | pred,
     {"0.01", "0.02", "0.05", "0.1", "0.2"},
     [](auto& r, auto* value) { r.relay = std::atof(value); }}};

}  // namespace

loh_study::loh_study(std::uint64_t seed, std::size_t runs)
    : seed_(seed), runs_(runs), cells_(all_loh_cells().size() * runs) {
  const topology graph = topology::complete(loh_nodes);
  for (std::size_t setting = 0; setting < loh_settings.size(); ++setting) {
    for (std::size_t run = 0; run < runs_; ++run) {
      const simulator::result r = simulator::simulate(common_model(graph, setting),
                                                      random_source(seed_).replication_seed(run));
      plain_.push_back({r.makespan, r.work / loh_nodes});
    }
  }
}

void loh_study::simulate(const loh_reading& reading, unsigned which, notebook& book, double share) {
  const auto cells = all_loh_cells();
  book.run(cells_.size(), share, [&](std::size_t i) {
    const std::size_t run = i % runs_;
    const loh_cell& at = cells[i / runs_];
    if ((which >> at.strategy & 1U) == 0) return;
    const topology graph = topology::parse(loh_networks[at.network].text);
    const auto balancer = make_loh_balancer(loh_strategies[at.strategy].text, reading);
    simulator::model m = common_model(graph, at.setting);
    m.balance = loh_balancing(*balancer, reading);
    const simulator::result r = simulator::simulate(m, random_source(seed_).replication_seed(run));
    const auto& [without, optimum] = plain_[at.setting * runs_ + run];
    cells_[i] = {.performance = normalised_performance(without, r.makespan, optimum),
                 .makespan = r.makespan,
                 .without = without,
                 .optimum = optimum,
                 .stabilised = r.stabilised,
                 .overhead = r.overhead,
                 .moved = static_cast<double>(r.tasks_moved)};
  });
}

simulator::summary loh_study::of(const loh_cell& at, double loh_run::* quantity) const {
  return over(std::span{&cells_[first_run(at)], runs_},
              [quantity](const loh_run& r) { return r.*quantity; });
}

double loh_study::levelled_at_start() const {
  const topology graph = topology::complete(loh_nodes);
  double sum = 0;
  for (std::size_t run = 0; run < runs_; ++run) {
    simulator::model m = common_model(graph, 0);
    m.draw_initial = {};
    m.initial.assign(loh_nodes, 100);
    const double makespan =
        simulator::simulate(m, random_source(seed_).replication_seed(run)).makespan;
    const auto& [without, optimum] = plain_[run];
    sum += normalised_performance(without, makespan, optimum);
  }
  return sum / static_cast<double>(runs_);
}

double loh_study::error() const {
  const auto cells = all_loh_cells();
  double squares = 0;
  for (const loh_cell& at : cells) {
    const double off = pi(at) - loh_printed_pi(at);
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(cells.size()));
}

namespace {

/// Tries all values of a parameter and takes the one with the least error, the first of several.
/// error_of(reading, which) simulates the strategies that are concerned.
double take_best(const searched& tried, loh_reading& found, std::vector<loh_trial>& trials,
                 auto&& error_of) {
  const auto first = static_cast<std::ptrdiff_t>(trials.size());
  for (const char* value : tried.values) {
    tried.set(found, value);
    trials.push_back({tried.name, value, error_of(found, tried.concerns)});
  }
  const auto best =
      std::min_element(trials.begin() + first, trials.end(),
                       [](const loh_trial& a, const loh_trial& b) { return a.error < b.error; });
  best->taken = true;
  tried.set(found, best->value);
  return error_of(found, tried.concerns);  // the study goes on from what was taken
}

std::vector<std::string_view> taken_of(const std::vector<loh_trial>& trials) {
  std::vector<std::string_view> values;
  for (const loh_trial& trial : trials) {
    if (trial.taken) values.emplace_back(trial.value);
  }
  return values;
}

}  // namespace

loh_search search_loh_reading(loh_study& study, notebook& book) {
  const auto error_of = [&](const loh_reading& reading, unsigned which) {
    // How many rounds it takes is not known before: nearer and nearer to the end.
    study.simulate(reading, which, book, book.left() / 60);
    return study.error();
  };
  // The marks follow from the text. Everything else begins where the paper is taken at its word: a
  // task that crosses a node costs it what receiving and sending it costs the ends.
  loh_reading found{.high = best_loh_reading.high,
                    .light = best_loh_reading.light,
                    .low = best_loh_reading.low,
                    .pause = 1,
                    .interval = 5,
                    .relay = 0.2};
  loh_search search;
  search.first_error = error_of(found, all_loh_strategies);
  std::vector<std::string_view> before;
  do {
    before = taken_of(search.trials);
    search.trials.clear();
    for (const searched& tried : parameters_searched) {
      search.error = take_best(tried, found, search.trials, error_of);
    }
    ++search.rounds;
  } while (taken_of(search.trials) != before);
  return search;
}

std::vector<parameter> parameters_of(const loh_reading& reading) {
  return {
      {"high mark (GM, SI)", std::to_string(reading.high),
       "about 25 to 35 % of the processors are overloaded in the stable setting: 28 % hold more "
       "than 105 tasks, all hold more than 10"},
      {"low mark (GM; LBC's equals it)", std::to_string(reading.light),
       "ours: as far below the average as the high mark lies above it"},
      {"low mark (RI)", std::to_string(reading.low), "the paper's worked example, Fig. 3"},
      {"pause", fmt::format("{} s", reading.pause), "search"},
      {"interval of Pred", fmt::format("{} s", reading.interval), "search"},
      {"portion of GM, of the excess over the high mark", std::string(reading.gradient_portion),
       "search"},
      {"portion of LBC, of the difference", std::string(reading.dispatcher_portion), "search"},
      {"portion of Pred, of load x W", std::string(reading.prediction_portion), "search"},
      {"index of Pred", reading.predicted ? "queue length x service time" : "service time",
       "search; the printed S (interval / departures) cannot see a queue"},
      {"messages of a broadcast",
       reading.one_broadcast ? "one, which all hear" : "one per receiver", "search"},
      {"rounding of SI and RI", std::string(reading.rounding),
       "search, among those that give the worked examples"},
      {"a task that crosses a processor costs it", fmt::format("{} ms", reading.relay * 1e3),
       "search; messages cross free of charge"}};
}

}  // namespace evencube::papers
