#include "loh_study.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>

namespace evencube::papers {
namespace {

using simulator::normalised_performance;
using simulator::random_source;

simulator::model common_model(const topology& graph, std::size_t setting, unstable_loads unstable) {
  simulator::model m;
  m.graph = &graph;
  m.service = simulator::distribution::uniform(0.2, 0.8);
  m.draw_initial = [setting, unstable](std::uint64_t seed) {
    return loh_initial_loads(setting, unstable, seed);
  };
  m.costs = simulator::loh_costs();
  return m;
}

/// Pi in every setting and network, in the order of the cells.
using values = std::vector<double>;

/// The distance of five strategies, whose values are in the order of loh_strategies.
loh_distance distance_of(const std::array<const values*, loh_strategies.size()>& ours) {
  loh_distance found{.wrong_pairs = 0};
  double squares = 0;
  const auto cells = all_loh_cells();
  constexpr std::size_t count = loh_strategies.size();
  for (std::size_t first = 0; first < cells.size(); first += count) {
    for (std::size_t a = 0; a < count; ++a) {
      const double pi = (*ours[a])[first / count];
      const double paper = loh_printed_pi(cells[first + a]);
      squares += (pi - paper) * (pi - paper);
      for (std::size_t b = 0; b < a; ++b) {
        const bool above = pi > (*ours[b])[first / count];
        found.wrong_pairs += above != (paper > loh_printed_pi(cells[first + b])) ? 1U : 0U;
      }
    }
  }
  found.error = std::sqrt(squares / static_cast<double>(cells.size()));
  return found;
}

}  // namespace

std::vector<load_type> loh_initial_loads(std::size_t setting, unstable_loads unstable,
                                         std::uint64_t seed) {
  if (setting == 0 || unstable == unstable_loads::weighted) {
    return simulator::loh_loads(setting == 0, loh_nodes, seed);
  }
  simulator::random_stream random(seed, simulator::random_purpose::placement, 1);
  const std::uint64_t empty = random.below(loh_nodes);
  std::vector<load_type> loads(loh_nodes, 0);
  for (unsigned task = 0; task < 100 * loh_nodes; ++task) {
    ++loads[(empty + 1 + random.below(loh_nodes - 1)) % loh_nodes];
  }
  return loads;
}

loh_study::loh_study(std::uint64_t seed, std::size_t runs, unstable_loads unstable)
    : seed_(seed), runs_(runs), unstable_(unstable), cells_(all_loh_cells().size() * runs) {
  const topology graph = topology::complete(loh_nodes);
  for (std::size_t setting = 0; setting < loh_settings.size(); ++setting) {
    for (std::size_t run = 0; run < runs_; ++run) {
      const simulator::result r = simulator::simulate(common_model(graph, setting, unstable_),
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
    simulator::model m = common_model(graph, at.setting, unstable_);
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
  return over(runs_of(at), [quantity](const loh_run& r) { return r.*quantity; });
}

double loh_study::levelled_at_start() const {
  const topology graph = topology::complete(loh_nodes);
  double sum = 0;
  for (std::size_t run = 0; run < runs_; ++run) {
    simulator::model m = common_model(graph, 0, unstable_);
    m.draw_initial = {};
    m.initial.assign(loh_nodes, 100);
    const double makespan =
        simulator::simulate(m, random_source(seed_).replication_seed(run)).makespan;
    const auto& [without, optimum] = plain_[run];
    sum += normalised_performance(without, makespan, optimum);
  }
  return sum / static_cast<double>(runs_);
}

namespace {

/// Pi of one strategy in all settings and networks.
values values_of(const loh_study& study, std::size_t strategy) {
  values all;
  for (const loh_cell& at : all_loh_cells()) {
    if (at.strategy == strategy) all.push_back(study.pi(at));
  }
  return all;
}

// The values that are tried. The marks follow from the text, the index of Pred from queues that the
// printed one cannot see, and what a task pays on its way from two claims of the text.
constexpr std::array pauses{1.0, 2.0, 5.0, 10.0};
constexpr std::array intervals{5.0, 10.0, 20.0, 40.0};
constexpr std::array roundings{"ceiling", "nearest"};
constexpr std::array broadcasts{"one per receiver", "one"};
// All that lies above the mark is the most that GM can send, half of a difference the most that a
// dispatcher gives.
constexpr std::array gradient_portions{"0.25", "0.5", "0.75", "1"};
constexpr std::array dispatcher_portions{"0.1", "0.25", "0.4", "0.5"};
constexpr std::array prediction_portions{"0.1", "0.25", "0.4", "0.5", "0.75"};

/// The values of each strategy under each of its own parameters.
struct measured {
  values gradient[pauses.size()][gradient_portions.size()];
  values sender[pauses.size()][roundings.size()];
  values receiver[pauses.size()][roundings.size()];
  values dispatcher[pauses.size()][dispatcher_portions.size()];
  values prediction[intervals.size()][prediction_portions.size()][broadcasts.size()];
};

/// A combination, as places in the arrays above.
struct combination {
  std::size_t pause = 0;
  std::size_t interval = 0;
  std::size_t rounding = 0;
  std::size_t broadcast = 0;
  std::size_t gradient = 0;
  std::size_t dispatcher = 0;
  std::size_t prediction = 0;

  [[nodiscard]] loh_reading reading() const {
    loh_reading r = best_loh_reading;
    r.pause = pauses[pause];
    r.interval = intervals[interval];
    r.rounding = roundings[rounding];
    r.one_broadcast = broadcast == 1;
    r.gradient_portion = gradient_portions[gradient];
    r.dispatcher_portion = dispatcher_portions[dispatcher];
    r.prediction_portion = prediction_portions[prediction];
    return r;
  }
};

/// Calls visit for every combination.
template <class Visit>
void for_each_combination(Visit&& visit) {
  combination c{};
  for (c.pause = 0; c.pause < pauses.size(); ++c.pause)
    for (c.interval = 0; c.interval < intervals.size(); ++c.interval)
      for (c.rounding = 0; c.rounding < roundings.size(); ++c.rounding)
        for (c.broadcast = 0; c.broadcast < broadcasts.size(); ++c.broadcast)
          for (c.gradient = 0; c.gradient < gradient_portions.size(); ++c.gradient)
            for (c.dispatcher = 0; c.dispatcher < dispatcher_portions.size(); ++c.dispatcher)
              for (c.prediction = 0; c.prediction < prediction_portions.size(); ++c.prediction)
                visit(c);
}

/// Simulates each strategy under each value of its own parameters.
std::unique_ptr<measured> measure_all(loh_study& study, notebook& book, double share) {
  auto all = std::make_unique<measured>();
  constexpr double count = pauses.size() * (gradient_portions.size() + 2 * roundings.size() +
                                            dispatcher_portions.size()) +
                           intervals.size() * prediction_portions.size() * broadcasts.size();
  const auto simulated = [&](std::size_t strategy, const combination& c) {
    study.simulate(c.reading(), 1U << strategy, book, share / count);
    return values_of(study, strategy);
  };
  for (std::size_t p = 0; p < pauses.size(); ++p) {
    for (std::size_t q = 0; q < gradient_portions.size(); ++q) {
      all->gradient[p][q] = simulated(0, {.pause = p, .gradient = q});
    }
    for (std::size_t r = 0; r < roundings.size(); ++r) {
      all->sender[p][r] = simulated(1, {.pause = p, .rounding = r});
      all->receiver[p][r] = simulated(2, {.pause = p, .rounding = r});
    }
    for (std::size_t q = 0; q < dispatcher_portions.size(); ++q) {
      all->dispatcher[p][q] = simulated(3, {.pause = p, .dispatcher = q});
    }
  }
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    for (std::size_t q = 0; q < prediction_portions.size(); ++q) {
      for (std::size_t b = 0; b < broadcasts.size(); ++b) {
        all->prediction[i][q][b] = simulated(4, {.interval = i, .broadcast = b, .prediction = q});
      }
    }
  }
  return all;
}

}  // namespace

loh_distance loh_study::distance() const {
  std::array<values, loh_strategies.size()> all;
  std::array<const values*, loh_strategies.size()> ours{};
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k] = values_of(*this, k);
    ours[k] = &all[k];
  }
  return distance_of(ours);
}

loh_search search_loh_reading(loh_study& study, notebook& book, double share) {
  const auto all = measure_all(study, book, share);
  loh_search search;
  std::map<std::pair<std::string, std::string>, loh_distance> nearest;
  for_each_combination([&](const combination& c) {
    const loh_distance here =
        distance_of({&all->gradient[c.pause][c.gradient], &all->sender[c.pause][c.rounding],
                     &all->receiver[c.pause][c.rounding], &all->dispatcher[c.pause][c.dispatcher],
                     &all->prediction[c.interval][c.prediction][c.broadcast]});
    ++search.combinations;
    const loh_reading reading = c.reading();
    if (here < search.distance) {
      search.distance = here;
      search.found = reading;
    }
    for (const parameter& p : parameters_of(reading)) {
      loh_distance& known = nearest[{p.name, p.value}];
      if (here < known) known = here;
    }
  });
  const auto taken = parameters_of(search.found);
  for (const auto& [tried, distance] : nearest) {
    const auto& [name, value] = tried;
    bool is_taken = false;
    for (const parameter& p : taken) is_taken = is_taken || (p.name == name && p.value == value);
    search.trials.push_back({name, value, distance, is_taken});
  }
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
