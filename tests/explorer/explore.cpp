#include "explore.hpp"

#include <chrono>
#include <cstdlib>

namespace evencube::explorer {

namespace {

const char* prefix_of(memory_model model) {
  return model == memory_model::sequential ? "sequential:" : "buffers:";
}

std::string text_of(const std::vector<decision>& trail) {
  std::string text;
  for (const decision& d : trail) text += static_cast<char>('a' + d.taken);
  while (!text.empty() && text.back() == 'a') text.pop_back();
  return text;
}

std::string tell(session& runs, const std::function<std::unique_ptr<scenario>()>& make,
                 std::vector<decision>& trail, const exploration& how, unsigned bound) {
  std::string story;
  std::string why = runs.narrate(make, trail, story);
  if (why.empty()) return "nothing goes wrong:\n" + story;
  return why + "\nschedule, with " + std::to_string(bound) + " of " +
         std::to_string(how.preemptions) + " preemptions:\n" + story +
         "to see it again, run this test with EVENCUBE_EXPLORER_REPLAY=" + prefix_of(how.model) +
         std::to_string(bound) + ":" + text_of(trail) + "\n";
}

}  // namespace

namespace {

/// The schedule asked for by name, for this memory model; null if none is.
const char* replay_for(memory_model model) {
  const char* const asked = std::getenv("EVENCUBE_EXPLORER_REPLAY");
  const std::string prefix = prefix_of(model);
  if (asked == nullptr || std::string_view(asked).substr(0, prefix.size()) != prefix) {
    return nullptr;
  }
  return asked + prefix.size();
}

// The number of ways is not part of the text: while decisions are replayed any number will do.
outcome replay(const std::function<std::unique_ptr<scenario>()>& make, const exploration& how,
               const char* text) {
  char* end = nullptr;
  const auto bound = static_cast<unsigned>(std::strtoul(text, &end, 10));
  std::vector<decision> trail;
  for (end += *end == ':' ? 1 : 0; *end != '\0'; ++end) {
    trail.push_back({static_cast<std::uint8_t>(*end - 'a'), 0});
  }
  session runs(how.model, bound, how.steps, how.mutations);
  outcome result;
  result.schedules = 1;
  result.preemptions = bound;
  result.counterexample = tell(runs, make, trail, how, bound);
  return result;
}

bool next(std::vector<decision>& trail) {
  while (!trail.empty() && trail.back().taken + 1 == trail.back().ways) trail.pop_back();
  if (trail.empty()) return false;
  ++trail.back().taken;
  return true;
}

}  // namespace

outcome explore(const std::function<std::unique_ptr<scenario>()>& make, const exploration& how) {
  if (const char* const text = replay_for(how.model)) return replay(make, how, text);
  const auto began = std::chrono::steady_clock::now();
  outcome result;
  unsigned last = how.preemptions;
  if (const char* const deeper = std::getenv("EVENCUBE_EXPLORER_DEEPER")) {
    last += static_cast<unsigned>(std::strtoul(deeper, nullptr, 10));
  }
  for (unsigned bound = 0; bound <= last && result.counterexample.empty(); ++bound) {
    result.preemptions = bound;
    session runs(how.model, bound, how.steps, how.mutations);
    std::vector<decision> trail;
    do {
      ++result.schedules;
      if (!runs.run(make, trail).empty()) {
        result.counterexample = tell(runs, make, trail, how, bound);
        break;
      }
    } while (next(trail));
    result.states += runs.states();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace evencube::explorer
