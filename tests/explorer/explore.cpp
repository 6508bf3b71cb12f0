#include "explore.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace evencube::explorer {

namespace {

using maker = std::function<std::unique_ptr<scenario>()>;

const char* name_of(memory_model model) {
  constexpr const char* names[] = {"sequential", "buffers", "weak"};
  return names[static_cast<unsigned>(model)];
}

// The text of a trail has a letter for each decision, with `a` for the first way. A number means
// that number of `a`.
std::string text_of(const std::vector<decision>& trail) {
  std::string text;
  std::size_t first_ways = 0;
  for (const decision& d : trail) {
    if (d.taken == 0) {
      ++first_ways;
      continue;
    }
    text += first_ways < 3 ? std::string(first_ways, 'a') : std::to_string(first_ways);
    text += static_cast<char>('a' + d.taken);
    first_ways = 0;
  }
  return text;
}

// Reads a trail from its text. The text does not hold the number of ways: any number is good during
// a replay.
std::vector<decision> trail_of(const char* text) {
  std::vector<decision> trail;
  while (*text != '\0') {
    char* end = nullptr;
    const unsigned long first_ways = std::strtoul(text, &end, 10);
    if (end != text) {
      trail.insert(trail.end(), first_ways, {0, 0});
      text = end;
    } else {
      trail.push_back({static_cast<std::uint8_t>(*text++ - 'a'), 0});
    }
  }
  return trail;
}

/// The beginning of every counterexample under these bounds. It distinguishes the counterexample
/// from those of other explorations in the same test.
std::string prefix_of(memory_model model, const budgets& most) {
  return std::string(name_of(model)) + ":" + std::to_string(most.preemptions) + "-" +
         std::to_string(most.old_values) + "-" + std::to_string(most.failures) + ":";
}

std::string tell(session& runs, const maker& make, std::vector<decision>& trail, memory_model model,
                 const budgets& most, const std::string& found) {
  std::string story;
  std::string why = runs.narrate(make, trail, story);
  if (why.empty()) return "nothing goes wrong:\n" + story;
  return why + "\n" + found + ":\n" + story +
         "to see it again, run this test with EVENCUBE_EXPLORER_REPLAY=" + prefix_of(model, most) +
         text_of(trail) + "\n";
}

/// The schedule that the environment requests for this memory model; null if there is none.
const char* replay_for(memory_model model) {
  const char* const asked = std::getenv("EVENCUBE_EXPLORER_REPLAY");
  const std::string prefix = std::string(name_of(model)) + ":";
  if (asked == nullptr || std::string_view(asked).substr(0, prefix.size()) != prefix) {
    return nullptr;
  }
  return asked + prefix.size();
}

outcome replay(const maker& make, const exploration& how, const char* text) {
  budgets most{};
  for (unsigned* const part : {&most.preemptions, &most.old_values, &most.failures}) {
    char* end = nullptr;
    *part = static_cast<unsigned>(std::strtoul(text, &end, 10));
    text = *end == '\0' ? end : end + 1;
  }
  std::vector<decision> trail = trail_of(text);
  session runs(how, most);
  outcome result;
  result.schedules = 1;
  result.preemptions = most.preemptions;
  result.counterexample = tell(runs, make, trail, how.model, most, "the schedule asked for");
  return result;
}

bool next(std::vector<decision>& trail) {
  while (!trail.empty() && trail.back().taken + 1 == trail.back().ways) trail.pop_back();
  if (trail.empty()) return false;
  ++trail.back().taken;
  return true;
}

unsigned long asked_for(const char* name) {
  const char* const asked = std::getenv(name);
  return asked == nullptr ? 0 : std::strtoul(asked, nullptr, 10);
}

unsigned long deeper() { return asked_for("EVENCUBE_EXPLORER_DEEPER"); }

/// The reduction of the depth. Scenarios with an intended bug are explored to their full depth.
unsigned long shallower(const exploration& how) {
  return how.mutations.empty() ? asked_for("EVENCUBE_EXPLORER_SHALLOWER") : 0;
}

void explore_all(const maker& make, const exploration& how, outcome& result) {
  const auto deepest = how.preemptions + static_cast<unsigned>(deeper());
  const unsigned last = deepest - std::min(deepest, static_cast<unsigned>(shallower(how)));
  for (unsigned bound = 0; bound <= last && result.counterexample.empty(); ++bound) {
    // The other budgets grow with the bound, so that a counterexample has few events of every kind.
    const auto grown = [&](unsigned most) { return bound == last ? most : std::min(bound, most); };
    const budgets most{bound, how.model == memory_model::weak ? grown(how.old_values) : 0,
                       grown(how.failures)};
    result.preemptions = bound;
    session runs(how, most);
    std::vector<decision> trail;
    do {
      ++result.schedules;
      const bool wrong = !runs.run(make, trail).empty();
      result.steps = std::max(result.steps, runs.steps());
      if (wrong) {
        result.counterexample = tell(runs, make, trail, how.model, most,
                                     "schedule, with " + std::to_string(bound) + " of " +
                                         std::to_string(how.preemptions) + " preemptions");
        break;
      }
    } while (next(trail));
    result.states += runs.states();
  }
}

void explore_by_chance(const maker& make, const exploration& how, outcome& result) {
  // The guide decides how often threads are interrupted.
  const budgets most{1'000'000, how.model == memory_model::weak ? how.old_values : 0, how.failures};
  const std::uint64_t count = (how.random_schedules << (3 * deeper())) >> (3 * shallower(how));
  result.preemptions = how.preemptions;
  session runs(how, most);
  std::vector<decision> trail;
  while (result.schedules < count && result.counterexample.empty()) {
    guide by(mix(how.seed, result.schedules), how.preemptions, result.steps);
    trail.clear();
    ++result.schedules;
    const bool wrong = !runs.run(make, trail, &by).empty();
    result.steps = std::max(result.steps, runs.steps());
    if (wrong) {
      result.counterexample = tell(runs, make, trail, how.model, most,
                                   "random schedule " + std::to_string(result.schedules) +
                                       " of seed " + std::to_string(how.seed));
    }
  }
}

}  // namespace

outcome explore(const std::function<std::unique_ptr<scenario>()>& make, const exploration& how) {
  if (const char* const text = replay_for(how.model)) return replay(make, how, text);
  const auto began = std::chrono::steady_clock::now();
  outcome result;
  if (how.random_schedules == 0) {
    explore_all(make, how, result);
  } else {
    explore_by_chance(make, how, result);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace evencube::explorer
