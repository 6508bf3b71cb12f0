#include "loh_study.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>

namespace evencube::papers {
namespace {

using simulator::normalised_performance;
using simulator::random_source;

constexpr node_id nodes = 16;

simulator::model common_model(const topology& graph, std::size_t setting) {
  simulator::model m;
  m.graph = &graph;
  m.service = simulator::distribution::uniform(0.2, 0.8);
  m.draw_initial = [stable = setting == 0](std::uint64_t seed) {
    return simulator::loh_loads(stable, nodes, seed);
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
  std::vector<std::string> values;
  void (*set)(loh_reading& reading, std::size_t value);
};

constexpr std::array<double, 4> pauses{1, 2, 5, 10};
constexpr std::array<double, 4> intervals{5, 10, 20, 40};
// Nothing at all is ruled out by the text, in which LBC and Pred depend on the network.
constexpr std::array<double, 5> relays{0.01, 0.02, 0.05, 0.1, 0.2};
constexpr std::array<std::string_view, 5> portions{"0.1", "0.25", "0.4", "0.5", "0.75"};
// All that lies above the mark is the most that GM can send.
constexpr std::array<std::string_view, 6> shares{"0.1", "0.25", "0.4", "0.5", "0.75", "1"};
constexpr std::array<std::string_view, 2> roundings{"ceiling", "nearest"};

template <class Values>
std::vector<std::string> texts_of(const Values& values) {
  std::vector<std::string> texts;
  for (const auto& value : values) texts.push_back(fmt::to_string(value));
  return texts;
}

std::vector<searched> parameters_searched() {
  // A dispatcher gives half of a difference at most.
  const std::vector<std::string> up_to_half{"0.1", "0.25", "0.4", "0.5"};
  std::vector<std::string> intervals_and_portions;
  for (const double interval : intervals) {
    for (const std::string_view portion : portions) {
      intervals_and_portions.push_back(fmt::format("{}, {}", interval, portion));
    }
  }
  return {{"pause s", gm | si | ri | lbc, texts_of(pauses),
           [](loh_reading& r, std::size_t i) { r.pause = pauses[i]; }},
          // Together: moving half as much twice as often is much the same.
          {"interval of Pred s, portion of Pred", pred, intervals_and_portions,
           [](loh_reading& r, std::size_t i) {
             r.interval = intervals[i / portions.size()];
             r.prediction_portion = portions[i % portions.size()];
           }},
          {"portion of GM", gm, texts_of(shares),
           [](loh_reading& r, std::size_t i) { r.gradient_portion = shares[i]; }},
          {"portion of LBC", lbc, up_to_half,
           [](loh_reading& r, std::size_t i) { r.dispatcher_portion = portions[i]; }},
          {"index of Pred",
           pred,
           {"printed", "predicted"},
           [](loh_reading& r, std::size_t i) { r.predicted = i == 1; }},
          {"messages of a broadcast",
           pred,
           {"one per receiver", "one"},
           [](loh_reading& r, std::size_t i) { r.one_broadcast = i == 1; }},
          {"rounding of SI and RI", si | ri, texts_of(roundings),
           [](loh_reading& r, std::size_t i) { r.rounding = roundings[i]; }},
          {"cost of passing a task on s", lbc | pred, texts_of(relays),
           [](loh_reading& r, std::size_t i) { r.relay = relays[i]; }}};
}

}  // namespace

loh_study::loh_study(std::uint64_t seed, std::size_t runs)
    : seed_(seed), runs_(runs), cells_(all_loh_cells().size() * runs) {
  const topology graph = topology::complete(nodes);
  for (std::size_t setting = 0; setting < loh_settings.size(); ++setting) {
    for (std::size_t run = 0; run < runs_; ++run) {
      const simulator::result r = simulator::simulate(common_model(graph, setting),
                                                      random_source(seed_).replication_seed(run));
      plain_.push_back({r.makespan, r.work / nodes});
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

simulator::summary loh_study::of(const loh_cell& at, double loh_run::*quantity) const {
  return over(std::span{&cells_[first_run(at)], runs_},
              [quantity](const loh_run& r) { return r.*quantity; });
}

double loh_study::levelled_at_start() const {
  const topology graph = topology::complete(nodes);
  double sum = 0;
  for (std::size_t run = 0; run < runs_; ++run) {
    simulator::model m = common_model(graph, 0);
    m.draw_initial = {};
    m.initial.assign(nodes, 100);
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

/// A search under way: the study holds the cells of what was taken last.
class searcher {
 public:
  searcher(loh_study& study, notebook& book) : study_{study}, book_{book} {}

  loh_search run() {
    // The marks follow from the text. Everything else begins where the paper is taken at its word:
    // a task that crosses a node costs it what receiving and sending it costs the ends.
    search_.found = {.high = best_loh_reading.high,
                     .light = best_loh_reading.light,
                     .low = best_loh_reading.low,
                     .pause = 1,
                     .interval = 5,
                     .relay = 0.2};
    search_.first_error = search_.error = error_of(search_.found, all_loh_strategies);
    while (one_round()) {
    }
    return std::move(search_);
  }

 private:
  double error_of(const loh_reading& reading, unsigned which) {
    // How many rounds it takes is not known before: nearer and nearer to the end.
    study_.simulate(reading, which, book_, book_.left() / 60);
    return study_.error();
  }

  /// Whether it changed anything.
  bool one_round() {
    ++search_.rounds;
    search_.trials.clear();
    bool changed = false;
    for (std::size_t p = 0; p < parameters_.size(); ++p) changed = take_best(p) || changed;
    return changed;
  }

  /// Tries all values of a parameter and takes the one with the least error, the first of several.
  /// Whether that is another one than before.
  bool take_best(std::size_t p) {
    const searched& tried = parameters_[p];
    const std::size_t first = search_.trials.size();
    for (std::size_t value = 0; value < tried.values.size(); ++value) {
      loh_reading reading = search_.found;
      tried.set(reading, value);
      const double error = error_of(reading, tried.concerns);
      search_.trials.push_back({tried.name, tried.values[value], error});
    }
    const auto best = std::min_element(
        search_.trials.begin() + static_cast<std::ptrdiff_t>(first), search_.trials.end(),
        [](const loh_trial& a, const loh_trial& b) { return a.error < b.error; });
    best->taken = true;
    tried.set(search_.found, static_cast<std::size_t>(best - search_.trials.begin()) - first);
    search_.error = error_of(search_.found, tried.concerns);
    return std::exchange(now_[p], best->value) != best->value;
  }

  loh_study& study_;
  notebook& book_;
  const std::vector<searched> parameters_ = parameters_searched();
  std::vector<std::string> now_ = std::vector<std::string>(parameters_.size());
  loh_search search_;
};

}  // namespace

loh_search search_loh_reading(loh_study& study, notebook& book) {
  return searcher{study, book}.run();
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
