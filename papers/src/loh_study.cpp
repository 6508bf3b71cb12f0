#include "loh_study.hpp"

#include <cmath>

#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/simulator/statistics.hpp>

namespace evencube::papers {
namespace {

constexpr node_id nodes = 16;

model common_model(const topology& graph, std::size_t setting) {
  model m;
  m.graph = &graph;
  m.service = distribution::uniform(0.2, 0.8);
  m.draw_initial = [stable = setting == 0](std::uint64_t seed) {
    return loh_loads(stable, nodes, seed);
  };
  m.costs = loh_costs();
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
  for (const auto& value : values) {
    if constexpr (std::is_same_v<typename Values::value_type, double>) {
      texts.push_back(shortest(value));
    } else {
      texts.emplace_back(value);
    }
  }
  return texts;
}

std::vector<searched> parameters_searched() {
  // A dispatcher gives half of a difference at most.
  const std::vector<std::string> up_to_half{"0.1", "0.25", "0.4", "0.5"};
  std::vector<std::string> intervals_and_portions;
  for (const double interval : intervals) {
    for (const std::string_view portion : portions) {
      intervals_and_portions.push_back(shortest(interval) + ", " + std::string(portion));
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
    : seed_(seed),
      runs_(runs),
      cells_(loh_settings.size() * loh_networks.size() * loh_strategies.size() * runs) {
  const topology graph = topology::complete(nodes);
  for (std::size_t setting = 0; setting < loh_settings.size(); ++setting) {
    for (std::size_t run = 0; run < runs_; ++run) {
      const result r = simulator::simulate(common_model(graph, setting),
                                           random_source(seed_).replication_seed(run));
      plain_.push_back({r.makespan, r.work / nodes});
    }
  }
}

bool loh_study::simulate(const loh_reading& reading, unsigned which, sampler& work, double from,
                         double to) {
  return work.run(cells_.size(), from, to, [&](std::size_t i) {
    const std::size_t run = i % runs_;
    const std::size_t strategy = i / runs_ % loh_strategies.size();
    const std::size_t network = i / runs_ / loh_strategies.size() % loh_networks.size();
    const std::size_t setting = i / runs_ / loh_strategies.size() / loh_networks.size();
    if ((which >> strategy & 1U) == 0) return;
    const topology graph = topology::parse(loh_networks[network].text);
    const auto balancer = make_loh_balancer(loh_strategies[strategy].text, reading);
    model m = common_model(graph, setting);
    m.balance = loh_balancing(*balancer, reading);
    const result r = simulator::simulate(m, random_source(seed_).replication_seed(run));
    const auto& [without, optimum] = plain_[setting * runs_ + run];
    cells_[i] = {.performance = normalised_performance(without, r.makespan, optimum),
                 .makespan = r.makespan,
                 .without = without,
                 .optimum = optimum,
                 .stabilised = r.stabilised,
                 .overhead = r.overhead,
                 .moved = static_cast<double>(r.tasks_moved),
                 .drawn = true};
  });
}

double loh_study::levelled_at_start() const {
  const topology graph = topology::complete(nodes);
  double sum = 0;
  for (std::size_t run = 0; run < runs_; ++run) {
    model m = common_model(graph, 0);
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
  double squares = 0;
  for (std::size_t setting = 0; setting < loh_settings.size(); ++setting) {
    for (std::size_t network = 0; network < loh_networks.size(); ++network) {
      for (std::size_t k = 0; k < loh_strategies.size(); ++k) {
        const double off = pi(setting, network, k) - loh_printed_pi(setting, network, k);
        squares += off * off;
      }
    }
  }
  return std::sqrt(squares / (loh_settings.size() * loh_networks.size() * loh_strategies.size()));
}

loh_search search_loh_reading(loh_study& study, sampler& work, double from, double to) {
  const auto parameters = parameters_searched();
  loh_search search;
  // The marks follow from the text. Everything else begins where the paper is taken at its word: a
  // task that crosses a node costs it what receiving and sending it costs the ends.
  search.found = {.high = best_loh_reading.high,
                  .light = best_loh_reading.light,
                  .low = best_loh_reading.low,
                  .pause = 1,
                  .interval = 5,
                  .relay = 0.2};
  std::vector<std::string> now(parameters.size());
  const auto share = [&](std::size_t trials) {
    // How many rounds it takes is not known before: nearer and nearer to the end.
    const auto done = static_cast<double>(trials);
    return from + (to - from) * done / (done + 60);
  };
  std::size_t trials = 0;
  if (!study.simulate(search.found, all_loh_strategies, work, from, from)) return search;
  search.first_error = search.error = study.error();
  for (bool changed = true; changed;) {
    changed = false;
    ++search.rounds;
    search.trials.clear();
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const searched& tried = parameters[p];
      std::size_t best = 0;
      double least = 1e300;
      const std::size_t first = search.trials.size();
      for (std::size_t value = 0; value < tried.values.size(); ++value) {
        loh_reading reading = search.found;
        tried.set(reading, value);
        ++trials;
        if (!study.simulate(reading, tried.concerns, work, share(trials), share(trials + 1))) {
          return search;
        }
        const double error = study.error();
        search.trials.push_back({tried.name, tried.values[value], error, false});
        if (error < least) {
          least = error;
          best = value;
        }
      }
      search.trials[first + best].taken = true;
      changed = changed || now[p] != tried.values[best];
      now[p] = tried.values[best];
      tried.set(search.found, best);
      search.error = least;
      // The study goes on from what was taken.
      if (!study.simulate(search.found, tried.concerns, work, share(trials), share(trials + 1))) {
        return search;
      }
    }
  }
  return search;
}

std::vector<parameter> parameters_of(const loh_reading& reading) {
  const auto text = [](std::string_view value) { return std::string(value); };
  return {
      {"high mark (GM, SI)", std::to_string(reading.high),
       "about 25 to 35 % of the processors are overloaded in the stable setting: 28 % hold more "
       "than 105 tasks, all hold more than 10"},
      {"low mark (GM; LBC's equals it)", std::to_string(reading.light),
       "ours: as far below the average as the high mark lies above it"},
      {"low mark (RI)", std::to_string(reading.low), "the paper's worked example, Fig. 3"},
      {"pause", shortest(reading.pause) + " s", "search"},
      {"interval of Pred", shortest(reading.interval) + " s", "search"},
      {"portion of GM, of the excess over the high mark", text(reading.gradient_portion), "search"},
      {"portion of LBC, of the difference", text(reading.dispatcher_portion), "search"},
      {"portion of Pred, of load x W", text(reading.prediction_portion), "search"},
      {"index of Pred", reading.predicted ? "queue length x service time" : "service time",
       "search; the printed S (interval / departures) cannot see a queue"},
      {"messages of a broadcast",
       reading.one_broadcast ? "one, which all hear" : "one per receiver", "search"},
      {"rounding of SI and RI", text(reading.rounding),
       "search, among those that give the worked examples"},
      {"a task that crosses a processor costs it", shortest(reading.relay * 1e3) + " ms",
       "search; messages cross free of charge"}};
}

}  // namespace evencube::papers
