#include "simulated.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/statistics.hpp>
#include <evencube/simulator/stepped_run.hpp>

#include "limits.hpp"
#include "scenarios.hpp"

namespace evencube::lab {
namespace {

using namespace simulator;

/// A run and the request that began it.
struct session {
  std::string key;
  scenario what;
  std::uint64_t seed;  // of this run
  stepped_run run;

  session(std::string asked, const json& request)
      : key(std::move(asked)),
        what(scenario_of(request)),
        seed(random_source(seed_of(request)).replication_seed(0)),
        run(what.what, seed) {}
};

/// The last run, which the next request may continue.
std::unique_ptr<session>& last_session() {
  thread_local std::unique_ptr<session> last;
  return last;
}

/// The settings of a request without what it wants to see.
std::string key_of(json request) {
  for (const char* name : {"ask", "from", "stride", "samples", "loads"}) request.erase(name);
  return request.dump();
}

/// Takes the last run if it is the same one and has stopped at `from`, or begins it again.
std::unique_ptr<session> session_at(const json& request, std::uint64_t from) {
  auto key = key_of(request);
  auto one = std::exchange(last_session(), nullptr);
  if (one && one->key == key && one->run.reading().events == from) return one;
  one = nullptr;  // its memory is free before the next run takes as much
  one = std::make_unique<session>(std::move(key), request);
  one->run.advance(from);
  return one;
}

double deviation_of(const std::vector<load_type>& loads) {
  const auto count = static_cast<double>(loads.size());
  const double mean =
      static_cast<double>(std::accumulate(loads.begin(), loads.end(), load_type{0})) / count;
  double squares = 0;
  for (const load_type load : loads) {
    const double off = static_cast<double>(load) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / count);
}

/// The mean response time of the tasks that ended between two readings; null if none did.
json response_between(const run_reading& before, const run_reading& after) {
  if (after.responses == before.responses) return nullptr;
  return (after.response_sum - before.response_sum) /
         static_cast<double>(after.responses - before.responses);
}

/// Samples as one array for each column.
class sample_columns {
 public:
  explicit sample_columns(bool with_loads) : with_loads_(with_loads) {
    for (const char* name : names) columns_[name] = json::array();
  }

  void add(const stepped_run& run, const run_reading& before) {
    const run_reading seen = run.reading();
    auto loads = run.loads();
    const std::array<json, names.size()> values{seen.events,
                                                seen.time,
                                                response_between(before, seen),
                                                response_between({}, seen),
                                                max_difference(loads),
                                                deviation_of(loads),
                                                seen.in_system,
                                                seen.completed,
                                                seen.arrived,
                                                seen.rounds,
                                                seen.messages,
                                                seen.tasks_moved};
    for (std::size_t i = 0; i < names.size(); ++i) columns_[names[i]].push_back(values[i]);
    if (with_loads_) loads_.push_back(std::move(loads));
  }

  void put_into(json& answer) && {
    answer["samples"] = std::move(columns_);
    if (with_loads_) answer["loads"] = std::move(loads_);
  }

 private:
  static constexpr std::array names{"events",     "time",      "response",  "mean_response",
                                    "difference", "deviation", "in_system", "completed",
                                    "arrived",    "rounds",    "messages",  "tasks_moved"};

  json columns_ = json::object();
  json loads_ = json::array();
  bool with_loads_;
};

std::string hexadecimal(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

/// Loh's Pi: what the balancing gained, as a share of what perfect balance would gain. It is null
/// where the tasks do not all end, or nothing balances.
json performance_of(const session& one, const result& with) {
  const model& what = one.what.what;
  if (what.balance.strategy == nullptr || std::isfinite(what.horizon)) return nullptr;
  model plain = what;
  plain.balance = {};
  const double without = simulate(plain, one.seed).makespan;
  return normalised_performance(without, with.makespan,
                                with.work / static_cast<double>(what.graph->nodes()));
}

json to_json(session& one) {
  const result found = one.run.finish();
  return {{"makespan", found.makespan},
          {"end", found.end},
          {"completed", found.completed},
          {"arrived", found.arrived},
          {"events", found.events},
          {"speedup", found.speedup},
          {"efficiency", found.efficiency},
          {"mean_in_system", found.mean_in_system},
          {"mean_response", found.mean_response},
          {"utilisation", found.utilisation},
          {"longest_queue", found.longest_queue},
          {"idle", found.idle},
          {"overhead", found.overhead},
          {"rounds", found.rounds},
          {"messages", found.messages},
          {"tasks_moved", found.tasks_moved},
          {"t_comm", found.t_comm},
          {"difference_before", found.difference_before},
          {"difference_after", found.difference_after},
          {"performance", performance_of(one, found)},
          {"hash", hexadecimal(hash_of(std::vector{found}))}};
}

}  // namespace

json simulated(const json& request) {
  const auto from = number_member(request, "from", 0, most_events, 0);
  const auto stride = number_member(request, "stride", 1, most_events_at_once, 1);
  const auto samples = number_member(request, "samples", 1, most_samples, 1);
  if (stride * samples > most_events_at_once) {
    throw refusal("The request wants " + std::to_string(stride * samples) +
                  " events at once, but the lab simulates at most " +
                  std::to_string(most_events_at_once) + ".");
  }
  if (from + stride * samples > most_events) {
    throw refusal("The lab simulates at most " + std::to_string(most_events) + " events.");
  }
  const bool with_loads = request.contains("loads") && request["loads"] == true;
  auto one = session_at(request, static_cast<std::uint64_t>(from));
  const std::size_t nodes = one->what.graph->nodes();
  if (with_loads && nodes * static_cast<std::size_t>(samples + 1) > most_sampled_loads) {
    throw refusal("The loads of " + std::to_string(samples) + " samples of " +
                  std::to_string(nodes) + " nodes are more than " +
                  std::to_string(most_sampled_loads) + ".");
  }

  sample_columns seen(with_loads);
  auto before = one->run.reading();
  seen.add(one->run, before);
  bool over = false;
  for (std::int64_t i = 0; i < samples && !over; ++i) {
    over = !one->run.advance(static_cast<std::uint64_t>(stride));
    const auto now = one->run.reading();
    if (now.events == before.events) break;
    seen.add(one->run, before);
    before = now;
  }
  json answer = {
      {"scenario", text_member(request, "scenario")},
      {"topology", one->what.graph->to_string()},
      {"nodes", nodes},
      {"balancer", one->what.strategy ? std::string(one->what.strategy->name()) : "none"},
      {"warm_up", one->what.what.warm_up},
      {"over", over},
      {"result", over ? to_json(*one) : json(nullptr)}};
  std::move(seen).put_into(answer);
  last_session() = std::move(one);
  return answer;
}

}  // namespace evencube::lab
