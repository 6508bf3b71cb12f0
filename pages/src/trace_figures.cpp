#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <evencube/balancers/topology.hpp>
#include <evencube/pages/trace_figures.hpp>
#include <evencube/trace/readings.hpp>

namespace evencube::pages {
namespace {

using traces::computing_times;
using traces::loads_after;
using traces::trace;

/// A share of the time that counts as the whole time.
constexpr double nearly_all = 0.9;

/// An event that changes how many workers compute or how many tasks wait for a worker.
struct change {
  enum class kind : std::uint8_t { spawned, started, ended, rests, goes_on };
  std::uint64_t time;
  std::uint32_t worker;
  kind what;
};

std::vector<change> changes_of(const trace& recorded) {
  using enum change::kind;
  std::vector<change> all;
  all.reserve(3 * recorded.tasks.size() + 2 * recorded.waits.size());
  for (const trace::task& t : recorded.tasks) {
    all.push_back({t.spawned, t.worker, spawned});
    all.push_back({t.started, t.worker, started});
    all.push_back({t.ended, t.worker, ended});
  }
  for (const trace::wait& w : recorded.waits) {
    const std::uint32_t worker = recorded.tasks[w.waiting].worker;
    all.push_back({w.began, worker, rests});
    all.push_back({w.ended, worker, goes_on});
  }
  std::ranges::sort(all, {}, &change::time);
  return all;
}

/// Follows the run in order of time. A worker computes while it has begun more tasks than it has
/// open waits: a task that it runs during a wait is in addition to the task that waits.
void add_times(const trace& recorded, trace_figures& made) {
  struct state {
    std::int64_t active = 0;
    std::uint64_t since = 0;
  };
  std::vector<state> workers(made.workers.size());
  std::int64_t busy = 0;
  std::int64_t waiting = 0;
  std::uint64_t now = 0;
  const auto all = static_cast<std::int64_t>(workers.size());
  const auto pass = [&](std::uint64_t until) {
    const auto span = static_cast<double>(until - now);
    const std::int64_t idle = all - busy;
    const std::int64_t served = std::min(idle, waiting);
    made.busy += static_cast<double>(busy) * span;
    made.idle_with_work += static_cast<double>(served) * span;
    made.idle_without_work += static_cast<double>(idle - served) * span;
    now = until;
  };
  for (const change& c : changes_of(recorded)) {
    using enum change::kind;
    if (c.time != now) pass(c.time);
    waiting += c.what == spawned ? 1 : c.what == started ? -1 : 0;
    if (c.what == spawned) continue;
    state& of = workers[c.worker];
    const bool computed = of.active > 0;
    of.active += c.what == started || c.what == goes_on ? 1 : -1;
    if (!computed && of.active > 0) {
      of.since = c.time;
      ++busy;
    } else if (computed && of.active <= 0) {
      made.workers[c.worker].busy += static_cast<double>(c.time - of.since);
      --busy;
    }
  }
  pass(recorded.makespan);
}

/// The statistics of durations. `times` is not empty.
trace_figures::durations durations_of(std::vector<std::uint64_t>& times) {
  std::ranges::sort(times);
  const auto quantile = [&](double share) {
    const auto last = static_cast<double>(times.size() - 1);
    return static_cast<double>(times[static_cast<std::size_t>(last * share)]);
  };
  trace_figures::durations of;
  of.least = quantile(0);
  of.median = quantile(0.5);
  of.p90 = quantile(0.9);
  of.p99 = quantile(0.99);
  of.most = quantile(1);
  double sum = 0;
  for (const std::uint64_t time : times) {
    const auto power = static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(time, 1)));
    if (of.by_power_of_two.size() < power) of.by_power_of_two.resize(power);
    ++of.by_power_of_two[power - 1];
    sum += static_cast<double>(time);
  }
  of.mean = sum / static_cast<double>(times.size());
  return of;
}

void add_durations(const trace& recorded, trace_figures& made) {
  auto times = computing_times(recorded);
  std::map<std::uint32_t, std::vector<std::uint64_t>> by_name;
  for (std::size_t i = 0; i < times.size(); ++i) {
    by_name[recorded.tasks[i].name].push_back(times[i]);
  }
  made.tasks = durations_of(times);
  for (auto& [name, of_type] : by_name) {
    trace_figures::type one{.name = name, .tasks = durations_of(of_type), .count = of_type.size()};
    one.computed = one.tasks.mean * static_cast<double>(one.count);
    made.types.push_back(std::move(one));
  }
  std::ranges::stable_sort(made.types, std::greater{}, &trace_figures::type::computed);
}

void add_regions(const trace& recorded, trace_figures& made) {
  std::map<std::uint32_t, trace_figures::region> by_name;
  for (const trace::region& r : recorded.regions) {
    trace_figures::region& one = by_name[r.name];
    one.name = r.name;
    ++one.count;
    const auto lasted = static_cast<double>(r.ended - r.began);
    one.lasted += lasted;
    one.longest = std::max(one.longest, lasted);
  }
  for (const auto& [name, one] : by_name) made.regions.push_back(one);
  std::ranges::stable_sort(made.regions, std::greater{}, &trace_figures::region::lasted);
}

void add_counters(const trace& recorded, trace_figures& made) {
  struct seen {
    trace_figures::counter figures;
    std::uint64_t time = 0;
  };
  std::map<std::uint32_t, seen> by_name;
  for (const trace::count& c : recorded.counts) {
    const auto [at, fresh] = by_name.try_emplace(c.name);
    seen& one = at->second;
    if (fresh) one = {{c.name, 0, c.value, c.value, c.value}, c.time};
    ++one.figures.count;
    one.figures.least = std::min(one.figures.least, c.value);
    one.figures.most = std::max(one.figures.most, c.value);
    if (c.time >= one.time) {
      one.figures.last = c.value;
      one.time = c.time;
    }
  }
  for (const auto& [name, one] : by_name) made.counters.push_back(one.figures);
}

void add_moves(const trace& recorded, trace_figures& made) {
  std::vector<bool> moved(recorded.tasks.size());
  for (const trace::migration& m : recorded.migrations) {
    ++(m.round == trace::migration::unplanned ? made.moved_by_pulls
       : m.round == trace::migration::rescued ? made.moved_by_rescues
                                              : made.moved_by_rounds);
    ++made.sent[{m.from, m.to}];
    ++made.workers[m.from].sent;
    ++made.workers[m.to].received;
    if (!moved[m.moved]) ++made.moved_tasks;
    moved[m.moved] = true;
  }
}

double imbalance(const std::vector<load_type>& loads) {
  const auto sum = std::accumulate(loads.begin(), loads.end(), 0.0, [](double s, load_type l) {
    return s + static_cast<double>(l);
  });
  if (sum <= 0) return 0;
  const auto most = static_cast<double>(std::ranges::max(loads));
  return most * static_cast<double>(loads.size()) / sum;
}

void add_rounds(const trace& recorded, trace_figures& made) {
  std::size_t seen = 0;
  for (const trace::round& r : recorded.rounds) {
    const double before = imbalance(r.loads);
    if (before <= 0) continue;
    ++seen;
    made.imbalance_before += before;
    made.imbalance_after += imbalance(loads_after(r));
  }
  if (seen == 0) return;
  made.imbalance_before /= static_cast<double>(seen);
  made.imbalance_after /= static_cast<double>(seen);
}

struct bound_text {
  std::string_view name;
  std::string_view sentence;
};
/// One text for each value of run_bound, in its order.
constexpr std::array<bound_text, 4> bounds{
    {{"work", "the work: the workers computed nearly all of the time; more workers may help"},
     {"critical_path",
      "the critical path: a chain of computing that must happen in order took nearly all of the "
      "time; more workers would not help"},
     {"balance", "the balance: most of the idle time passed while tasks waited elsewhere"},
     {"parallelism",
      "the parallelism: most of the idle time passed while no task waited; the program has too few "
      "tasks at a time for this number of workers"}}};

run_bound bound_of(const trace_figures& figures, double makespan) {
  if (figures.busy >= nearly_all * makespan * static_cast<double>(figures.workers.size())) {
    return run_bound::work;
  }
  if (figures.critical_path >= nearly_all * makespan) return run_bound::critical_path;
  return figures.idle_with_work >= figures.idle_without_work ? run_bound::balance
                                                             : run_bound::parallelism;
}

}  // namespace

double checked_trace::forecast_error() const {
  const double real = static_cast<double>(source.makespan) * 1e-9;
  return std::abs(outcome.makespan - real) / real;
}

checked_trace check_trace(trace source) {
  if (source.tasks.empty() || source.makespan == 0) {
    throw std::invalid_argument("the trace holds no work");
  }
  checked_trace made;
  made.source = std::move(source);
  made.program = simulator::program_of(made.source);
  made.configuration = simulator::recorded_configuration(made.source);
  made.outcome = simulator::replay(made.program, made.configuration);
  made.rounds = simulator::check_rounds(made.source);
  return made;
}

std::string_view name_of(run_bound bound) noexcept {
  return bounds[static_cast<std::size_t>(bound)].name;
}

std::string_view sentence_of(run_bound bound) noexcept {
  return bounds[static_cast<std::size_t>(bound)].sentence;
}

trace_figures figures_of(const checked_trace& given) {
  const trace& recorded = given.source;
  trace_figures made;
  made.workers.resize(topology::parse(recorded.topology).nodes());
  for (const trace::task& t : recorded.tasks) ++made.workers[t.worker].tasks;
  for (const trace::wait& w : recorded.waits) made.waited += static_cast<double>(w.ended - w.began);
  add_times(recorded, made);
  add_durations(recorded, made);
  add_regions(recorded, made);
  add_counters(recorded, made);
  add_moves(recorded, made);
  add_rounds(recorded, made);
  made.critical_path = given.program.critical_path() * 1e9;
  made.critical_tasks = given.program.critical_tasks();
  made.bound = bound_of(made, static_cast<double>(recorded.makespan));
  return made;
}

}  // namespace evencube::pages
