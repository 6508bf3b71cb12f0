#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/presets.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/simulator/statistics.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "calibration.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "interruption.hpp"
#include "number_text.hpp"
#include "progress_bar.hpp"
#include "ranks_program.hpp"
#include "runtime_arguments.hpp"
#include "simulation_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

using namespace evencube::simulator;

struct metric {
  const char* name;
  const char* unit;
  double (*of)(const result&);
};

template <auto Member>
double number(const result& r) {
  return static_cast<double>(r.*Member);
}

constexpr metric metrics[] = {
    {"makespan", "time", number<&result::makespan>},
    {"speedup", "", number<&result::speedup>},
    {"efficiency", "", number<&result::efficiency>},
    {"completed", "tasks", number<&result::completed>},
    {"mean_in_system", "tasks", number<&result::mean_in_system>},
    {"mean_waiting", "tasks", number<&result::mean_waiting>},
    {"mean_response", "time", number<&result::mean_response>},
    {"utilisation", "", number<&result::utilisation>},
    {"longest_queue", "tasks", number<&result::longest_queue>},
    {"idle", "time", number<&result::idle>},
    {"overhead", "time", number<&result::overhead>},
    {"rounds", "", number<&result::rounds>},
    {"messages", "", number<&result::messages>},
    {"tasks_moved", "tasks", number<&result::tasks_moved>},
    {"t_comm", "units", number<&result::t_comm>},
    {"stabilised", "time", number<&result::stabilised>},
    {"difference_before", "tasks", number<&result::difference_before>},
    {"difference_after", "tasks", number<&result::difference_after>},
    {"mean_difference", "tasks", number<&result::mean_difference>},
    {"worst_difference", "tasks", number<&result::worst_difference>},
};

constexpr const char* pi = "normalised_performance";

summary over(const std::vector<result>& results, const metric& m) {
  std::vector<double> values;
  for (const result& r : results) values.push_back(m.of(r));
  return summarise(values);
}

json json_of(const summary& s) {
  json object{
      {"mean", s.mean}, {"deviation", s.deviation}, {"minimum", s.minimum}, {"maximum", s.maximum}};
  object["half_width"] = std::isfinite(s.half_width) ? json(s.half_width) : json(nullptr);
  return object;
}

/// Whether the same tasks can be run without balancing, to the end.
bool can_be_compared(const model& what) {
  return what.balance.strategy != nullptr && std::isinf(what.horizon);
}

/// Loh's Pi of a run, against the same run without balancing.
double performance_of(const model& what, const result& with, std::uint64_t seed,
                      const simulator::observer& watch) {
  model plain = what;
  plain.balance = {};
  const result without = simulate(plain, seed, watch);
  const double speed = what.speeds.empty()
                           ? what.graph->nodes()
                           : std::accumulate(what.speeds.begin(), what.speeds.end(), 0.0);
  return normalised_performance(without.makespan, with.makespan, with.work / speed);
}

struct outcome {
  int signal = 0;                    // that ended it early
  std::vector<double> performances;  // of the results, if they can be compared
  std::vector<result> results;       // those that ran to their end, or all if none did
  std::size_t asked = 0;
  std::size_t finished = 0;
  double seconds = 0;
  std::uint64_t events = 0;
  std::size_t bytes = 0;  // of one replication
  bool partial = false;
};

outcome run(const model& what, const simulation_arguments& arguments, progress_bar& bar) {
  const interruption stop;
  // Progress: the share of finished replications, and of the running ones as far as time tells.
  // The bar may look once more when this function has returned.
  const auto shown = std::make_shared<std::atomic<double>>(0.0);
  std::atomic<double>& done = *shown;
  const double part = 1.0 / static_cast<double>(arguments.replications);
  bar.show("simulate " + arguments.preset,
           [shown] { return shown->load(std::memory_order_relaxed); });
  std::vector<result> all(arguments.replications);
  std::vector<double> performances(arguments.replications);
  std::vector<char> begun(arguments.replications, 0);
  const random_source source(arguments.seed);
  const auto start = std::chrono::steady_clock::now();
  run_in_parallel(arguments.threads, arguments.replications, [&](std::size_t i) {
    if (stop.requested()) return;
    begun[i] = 1;
    double counted = 0;
    simulator::observer watch;
    watch.progress = [&](double time, std::uint64_t) {
      if (std::isfinite(what.horizon)) {
        const double share = time / what.horizon * part;
        done.fetch_add(share - counted, std::memory_order_relaxed);  // relaxed: to look at
        counted = share;
      }
      return !stop.requested();
    };
    all[i] = simulate(what, source.replication_seed(i), watch);
    if (can_be_compared(what) && !all[i].partial) {
      performances[i] = performance_of(what, all[i], source.replication_seed(i), watch);
      all[i].partial = stop.requested();
    }
    done.fetch_add(part - counted, std::memory_order_relaxed);  // relaxed: to look at
  });
  outcome o;
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  o.asked = arguments.replications;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (begun[i] == 0) continue;
    o.events += all[i].events;
    o.bytes = std::max(o.bytes, all[i].memory_bytes);
    if (all[i].partial) continue;
    o.results.push_back(all[i]);
    if (can_be_compared(what)) o.performances.push_back(performances[i]);
  }
  o.finished = o.results.size();
  o.partial = o.finished < o.asked;
  o.signal = stop.signal();
  if (o.results.empty()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (begun[i] != 0) o.results.push_back(all[i]);
    }
  }
  return o;
}

// Of one core of some years ago: an order of magnitude is what is wanted.
constexpr double seconds_of_event = 3e-7;
constexpr double seconds_of_load = 2e-8;
constexpr double told_from = 60;
constexpr double refused_from = 2 * 3600;

struct tasks_of_run {
  double number = 0;
  double end = 0;  // when the last of them can have ended, were they always shared out evenly
};

tasks_of_run tasks_of(const model& what, std::uint64_t seed) {
  const double nodes = what.graph->nodes();
  const double speed =
      what.speeds.empty() ? nodes : std::accumulate(what.speeds.begin(), what.speeds.end(), 0.0);
  if (what.program != nullptr) {
    return {static_cast<double>(what.program->size()), what.program->total_demand() / speed};
  }
  const auto loads = what.draw_initial ? what.draw_initial(seed) : what.initial;
  const double waiting = std::accumulate(loads.begin(), loads.end(), 0.0);
  tasks_of_run found{waiting, waiting * what.service.mean() / speed};
  const arrival_process& arrivals = what.arrivals;
  if (arrivals.which == arrival_process::kind::trace) {
    found.number += static_cast<double>(arrivals.entries.size());
    if (!arrivals.entries.empty()) found.end = std::max(found.end, arrivals.entries.back().time);
  } else if (arrivals.which != arrival_process::kind::none) {
    const double end = std::min(what.arrivals_end, what.horizon);
    const double hot = arrivals.which == arrival_process::kind::hot_spot
                           ? arrivals.hot_share * (arrivals.hot_factor - 1)
                           : 0;
    found.number += arrivals.rate * (1 + hot) * nodes * end;
    found.end = std::max(found.end, end);
  }
  return found;
}

double times_until(double end, double period) { return period > 0 ? std::floor(end / period) : 0; }

/// What is to happen again and again must move the clock, at the end, too.
void require_noticed(const char* option, double period, double end) {
  if (period <= 0 || end + period > end) return;
  throw usage_error{
      fmt::format("{} {:g}: too short to advance the clock of a simulation that lasts about {:g}",
                  option, period, end)};
}

std::string long_time_text(double seconds) {
  constexpr double hour = 3600;
  constexpr double day = 24 * hour;
  constexpr double year = 365.25 * day;
  if (seconds < 2 * hour) return duration_text(seconds);
  if (seconds < 2 * day) return fmt::format("{:.0f} hours", seconds / hour);
  return seconds < 2 * year ? fmt::format("{:.0f} days", seconds / day)
                            : fmt::format("{:.2g} years", seconds / year);
}

/// Estimates from the numbers of tasks, calls of the clock and samples what a simulation will cost;
/// what loads trigger is not foreseen. Tells the user of what takes minutes. Throws usage_error for
/// what would take hours on `threads` processors (0: all), unless that is allowed, and for periods
/// that the simulation's clock would not notice.
void check_effort(const model& what, std::size_t replications, std::uint64_t seed, unsigned threads,
                  bool hours_allowed) {
  const bool balanced = what.balance.strategy != nullptr;
  const trigger& when = what.balance.when;
  using kind = simulator::trigger::kind;
  const bool by_clock = balanced && (when.which == kind::period || when.which == kind::idle ||
                                     when.which == kind::utilisation);
  const double period = by_clock ? when.period : 0;
  const tasks_of_run tasks = tasks_of(what, seed);
  const double end = std::isfinite(what.horizon) ? what.horizon : tasks.end;
  require_noticed("--trigger", period, end);
  require_noticed("--sample", what.sample_period, end);
  const double looks = times_until(end, period) + times_until(end, what.sample_period);
  const double loads = looks * what.graph->nodes();
  const double events = 2 * tasks.number + looks;
  // Without a horizon each is run once more without balancing, to be compared with.
  const double runs =
      static_cast<double>(replications) * (balanced && std::isinf(what.horizon) ? 2 : 1);
  const double processors =
      threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  const double seconds = (events * seconds_of_event + loads * seconds_of_load) * runs /
                         std::min(processors, static_cast<double>(replications));
  if (seconds < told_from) return;
  const auto told =
      fmt::format("about {}, for {:.2g} events and {:.2g} reads of loads in each of {} runs",
                  long_time_text(seconds), events, loads, runs);
  if (seconds >= refused_from && !hours_allowed) {
    throw usage_error{fmt::format(
        "this simulation would take {}; make it smaller, or allow it with --long", told)};
  }
  complain("this simulation will take " + told);
}

json to_json(const scenario& s, const simulation_arguments& arguments, const outcome& o) {
  json values = json::object();
  for (const metric& m : metrics) values[m.name] = json_of(over(o.results, m));
  if (!o.performances.empty()) values[pi] = json_of(summarise(o.performances));
  return {{"preset", arguments.preset},
          {"topology", s.graph->to_string()},
          {"nodes", s.graph->nodes()},
          {"balancer", s.strategy ? s.strategy->name() : "none"},
          {"seed", arguments.seed},
          {"replications", o.asked},
          {"finished", o.finished},
          {"partial", o.partial},
          {"hash", fmt::format("{:016x}", hash_of(o.results))},
          {"events", o.events},
          {"seconds", o.seconds},
          {"events_per_second", static_cast<double>(o.events) / o.seconds},
          {"bytes_per_node", static_cast<double>(o.bytes) / s.graph->nodes()},
          {"metrics", std::move(values)}};
}

std::string interruption_text(const outcome& o) {
  if (!o.partial) return "";
  if (o.finished > 0) return " (partial, because it was interrupted)";
  return fmt::format(
      " (partial, because it was interrupted: figures from {} unfinished replications)",
      o.results.size());
}

std::string to_text(const scenario& s, const simulation_arguments& arguments, const outcome& o) {
  text_table table{{"<metric", "mean", "+- 95 %", "least", "greatest", "<unit"}};
  const auto add = [&table](const char* name, const summary& v, const char* unit) {
    table.add_row(name, fmt::format("{:.6g}", v.mean),
                  std::isfinite(v.half_width) ? fmt::format("{:.2g}", v.half_width) : "-",
                  fmt::format("{:.6g}", v.minimum), fmt::format("{:.6g}", v.maximum), unit);
  };
  for (const metric& m : metrics) add(m.name, over(o.results, m), m.unit);
  if (!o.performances.empty()) add(pi, summarise(o.performances), "");
  return fmt::format(
      "{} on {} ({} nodes), balancer {}, seed {}, {} of {} replications{}\n\n{}\n"
      "{} events in {:.2f} s: {:.2f} million per second; {:.0f} bytes per node; hash {:016x}\n",
      arguments.preset, s.graph->to_string(), s.graph->nodes(),
      s.strategy ? s.strategy->name() : "none", arguments.seed, o.finished, o.asked,
      interruption_text(o), table.to_string(), o.events, o.seconds,
      static_cast<double>(o.events) / o.seconds / 1e6,
      static_cast<double>(o.bytes) / s.graph->nodes(), hash_of(o.results));
}

void list_presets(bool as_json) {
  if (as_json) {
    json listed = json::array();
    for (const preset& p : presets()) listed.push_back({{"name", p.name}, {"summary", p.summary}});
    print_json({{"presets", std::move(listed)}});
    return;
  }
  text_table table{{"<preset", "<what it simulates"}};
  for (const preset& p : presets()) table.add_row(p.name, p.summary);
  print(table.to_string());
}

/// The options that say how large the simulated machine is.
std::string size_of(const simulation_arguments& arguments) {
  auto text = "simulate " + arguments.preset;
  if (!arguments.topology.empty()) text += " --topology " + arguments.topology;
  return text;
}

void simulate_command(const simulation_arguments& arguments) {
  if (arguments.over_ranks) refuse_without_ranks_program();
  if (arguments.calibrate) {
    require_calibration(arguments);
    tell_calibration(arguments, calibrate());
    return;
  }
  if (arguments.preset.empty()) {
    refuse_others(arguments, {"--json"},
                  "no preset is given, so nothing is simulated; give a preset, or leave out ");
    list_presets(arguments.as_json);
    return;
  }
  check_environment();
  scenario chosen;
  outcome o;
  refusals_as_usage_errors([&] {
    progress_bar bar(stderr_is_terminal() && !arguments.as_json);
    bar.show("preparing " + arguments.preset);
    with_memory_for(size_of(arguments), [&] {
      chosen = make_scenario(arguments);
      // The model is checked before the work begins: what is refused here is bad usage.
      simulator::observer nothing;
      nothing.stride = 1;
      nothing.progress = [](double, std::uint64_t) { return false; };
      (void)simulate(chosen.what, arguments.seed, nothing);
      check_effort(chosen.what, arguments.replications, arguments.seed, arguments.threads,
                   arguments.long_form);
      o = run(chosen.what, arguments, bar);
    });
  });
  if (o.results.empty()) {
    throw interrupted(o.signal, "interrupted before anything was simulated");
  }
  arguments.as_json ? print_json(to_json(chosen, arguments, o))
                    : print(to_text(chosen, arguments, o));
  if (o.signal != 0) throw interrupted(o.signal);
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  auto arguments = std::make_shared<simulation_arguments>();
  add_simulate_arguments(app, *arguments)->callback([arguments] { simulate_command(*arguments); });
}

}  // namespace evencube::cli
