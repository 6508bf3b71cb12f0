#include "recorded.hpp"

#include <algorithm>
#include <cstdint>
#include <istream>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <utility>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/trace/trace.hpp>

#include "limits.hpp"
#include "phases.hpp"

namespace evencube::lab {
namespace {

using traces::trace;

/// The balancer of a recording, if the library has it and it guarantees a difference.
struct known_balancer {
  balancer_descriptor descriptor;
  balancer_options options;
};

/// What is kept of a recording.
struct recording {
  topology graph;
  std::vector<trace::round> rounds;
  /// The number of tasks that moved as each round planned.
  std::vector<std::uint64_t> moved;
  std::optional<known_balancer> balancer;
  json facts;
};

std::unique_ptr<recording>& kept() {
  static std::unique_ptr<recording> one;
  return one;
}

constexpr const char* too_large = "The recording needs more memory than the page has.";

/// Reads bytes where they are, without a copy.
class bytes_in_place : public std::streambuf {
 public:
  explicit bytes_in_place(std::string& bytes) {
    setg(bytes.data(), bytes.data(), bytes.data() + bytes.size());
  }
};

trace read(std::string bytes) {
  if (bytes.size() > most_recording_bytes) {
    throw refusal("The recording has " + std::to_string(bytes.size()) +
                  " bytes, but the lab reads at most " + std::to_string(most_recording_bytes) +
                  ".");
  }
  bytes_in_place buffer(bytes);
  std::istream from(&buffer);
  try {
    return traces::read_trace(from, bytes.size(), "The recording cannot be read");
  } catch (const std::bad_alloc&) {
    throw refusal(too_large);
  } catch (const std::length_error&) {
    throw refusal(too_large);
  }
}

/// A text of the recording for the page. It may be cut within a character.
std::string shortened(const std::string& text) {
  return text.size() <= longest_recorded_text ? text
                                              : text.substr(0, longest_recorded_text) + "...";
}

/// Refuses a round that the page cannot show.
void require_shown(const trace::round& one, std::size_t index) {
  const auto refuse = [index](const std::string& has, const std::string& most) {
    throw refusal("Round " + std::to_string(index) + " of the recording has " + has +
                  ", but the lab shows at most " + most + ".");
  };
  if (const auto total = total_load(one.loads); total > most_recorded_quanta) {
    refuse(std::to_string(total) + " quanta", std::to_string(most_recorded_quanta));
  }
  if (const auto phases = one.planned.phases.size(); phases > most_recorded_phases) {
    refuse(std::to_string(phases) + " phases", std::to_string(most_recorded_phases));
  }
  if (const auto transfers = transfer_count(one.planned); transfers > most_transfers) {
    refuse(std::to_string(transfers) + " transfers", std::to_string(most_transfers));
  }
}

/// The differences before and after the rounds. If there are many rounds, the one with the largest
/// difference stands for several.
class charted_rounds {
 public:
  explicit charted_rounds(std::size_t rounds)
      : each_((rounds + most_charted_rounds - 1) / most_charted_rounds) {}

  void add(std::size_t index, std::uint64_t time, load_type before, load_type after) {
    if (index % each_ == 0 || before > best_.before) best_ = {index, time, before, after};
    if ((index + 1) % each_ == 0) put();
  }

  json finish(std::size_t rounds) && {
    if (rounds % each_ != 0) put();
    return {{"round", std::move(round_)},
            {"time", std::move(time_)},
            {"before", std::move(before_)},
            {"after", std::move(after_)}};
  }

 private:
  struct entry {
    std::size_t index = 0;
    std::uint64_t time = 0;
    load_type before = 0;
    load_type after = 0;
  };

  void put() {
    round_.push_back(best_.index);
    time_.push_back(best_.time);
    before_.push_back(best_.before);
    after_.push_back(best_.after);
  }

  std::size_t each_;
  entry best_;
  json round_ = json::array();
  json time_ = json::array();
  json before_ = json::array();
  json after_ = json::array();
};

/// Adds what the rounds tell, all together.
void add_rounds(const std::vector<trace::round>& rounds, json& facts) {
  charted_rounds charted(rounds.size());
  load_type largest = 0;
  load_type hops = 0;
  std::uint64_t transfers = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const trace::round& one = rounds[i];
    require_shown(one, i);
    const auto after = final_loads(one.planned, one.loads);
    charted.add(i, one.time, max_difference(one.loads), max_difference(after));
    for (const auto* loads : {&one.loads, &after}) {
      largest = std::max(largest, *std::max_element(loads->begin(), loads->end()));
    }
    hops = std::min(most_recorded_quanta,
                    hops + std::min(most_recorded_quanta, task_hops(one.planned)));
    transfers += transfer_count(one.planned);
  }
  facts["rounds"] = rounds.size();
  facts["largest"] = largest;
  facts["task_hops"] = hops;
  facts["transfers"] = transfers;
  facts["differences"] = std::move(charted).finish(rounds.size());
}

/// Counts the tasks that moved by each round, and tells how all of them moved.
std::vector<std::uint64_t> count_moves(const trace& from, json& facts) {
  std::vector<std::uint64_t> moved(from.rounds.size());
  std::uint64_t planned = 0;
  std::uint64_t pulls = 0;
  std::uint64_t rescues = 0;
  for (const trace::migration& one : from.migrations) {
    if (one.round == trace::migration::unplanned) {
      ++pulls;
    } else if (one.round == trace::migration::rescued) {
      ++rescues;
    } else {
      ++planned;
      ++moved[one.round];
    }
  }
  facts["moved"] = {{"rounds", planned}, {"pulls", pulls}, {"rescues", rescues}};
  return moved;
}

/// Nothing if the library has no such balancer, if it refuses the options, or if it guarantees no
/// difference on this network.
std::optional<known_balancer> balancer_of(const trace& from, const topology& graph) {
  try {
    known_balancer found{describe_balancer(from.balancer), {}};
    const auto& guarantees = found.descriptor.guarantees;
    if (!guarantees.difference || (guarantees.supports && !guarantees.supports(graph))) {
      return std::nullopt;
    }
    json options = json::object();
    for (const auto& [name, value] : from.options) options[name] = value;
    found.options =
        complete_options(found.descriptor, options_member({{"options", std::move(options)}}));
    return found;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// The difference that the balancer guarantees after a round of all workers, or null.
json bound_of(const recording& from, const trace::round& one) {
  if (!from.balancer || one.initiator || !one.capacities.empty()) return nullptr;
  // The balancer counted in units.
  std::vector<load_type> loads = one.loads;
  for (load_type& load : loads) load /= one.unit;
  const auto bound = from.balancer->descriptor.guarantees.difference(
      {.graph = from.graph, .loads = loads, .seed = one.seed}, from.balancer->options);
  if (!bound || *bound > most_recorded_quanta / one.unit) return nullptr;
  return *bound * one.unit;
}

json described_round(const recording& from, std::size_t index) {
  const trace::round& one = from.rounds[index];
  json answer = replay_of(one.loads, one.planned);
  answer["time"] = one.time;
  answer["moved"] = from.moved[index];
  answer["bound"] = bound_of(from, one);
  if (one.initiator) answer["initiator"] = *one.initiator;
  if (one.leader) answer["leader"] = *one.leader;
  return answer;
}

json some_rounds(const recording& from, std::size_t first, std::size_t count) {
  json rounds = json::array();
  std::size_t work = 0;
  const std::size_t end = std::min(from.rounds.size(), first + count);
  for (std::size_t i = first; i < end; ++i) {
    const plan& planned = from.rounds[i].planned;
    work += from.graph.nodes() * (planned.phases.size() + 1) + transfer_count(planned);
    if (i > first && work > most_recorded_work) break;
    rounds.push_back(described_round(from, i));
  }
  return {{"from", first}, {"rounds", std::move(rounds)}};
}

}  // namespace

json keep_recording(std::string bytes) {
  trace from = read(std::move(bytes));
  auto graph = topology::parse(from.topology, traces::most_trace_workers);
  if (graph.nodes() > most_nodes) {
    throw refusal("The recording has " + std::to_string(graph.nodes()) +
                  " workers, but the lab shows at most " + std::to_string(most_nodes) + ".");
  }
  require_drawable(graph);
  if (from.rounds.empty()) {
    throw refusal("The recording has no rounds that could be shown; its balancer is " +
                  in_quotes(from.balancer) + ".");
  }
  json facts = {{"topology", graph.to_string()},
                {"workers", graph.nodes()},
                {"workload", shortened(from.workload)},
                {"balancer", shortened(from.balancer)},
                {"mode", from.mode},
                {"recorded_at", shortened(from.recorded_at)},
                {"recorded_on", shortened(from.recorded_on)},
                {"recorded_by", shortened(from.recorded_by)},
                {"makespan", from.makespan},
                {"cut", from.cut},
                {"tasks", from.tasks.size()}};
  add_rounds(from.rounds, facts);
  auto moved = count_moves(from, facts);
  auto balancer = balancer_of(from, graph);
  kept() = std::make_unique<recording>(recording{std::move(graph), std::move(from.rounds),
                                                 std::move(moved), std::move(balancer), facts});
  return facts;
}

json forget_recording(const json&) {
  kept().reset();
  return json::object();
}

json recorded(const json& request) {
  if (!kept()) throw refusal("No recording is open.");
  const recording& from = *kept();
  if (!request.contains("from")) return from.facts;
  const auto last = static_cast<std::int64_t>(from.rounds.size()) - 1;
  const auto first = number_member(request, "from", 0, last);
  const auto count = number_member(request, "count", 1, most_rounds_at_once, 1);
  return some_rounds(from, static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace evencube::lab
