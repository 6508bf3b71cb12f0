#include <algorithm>
#include <string_view>

#include "execution.hpp"

namespace evencube::programs {

bool execution::any_stops() const {
  return program_.ends_early &&
         std::ranges::any_of(ends_, [](const ending& e) { return e.asked.perhaps(); });
}

bool execution::is_refusal(const error& e) const {
  // Which of the first two `then` says depends on when it asks. A coroutine that cannot go home to
  // a runtime that was stopped stays where it is, and there may not call the one at home.
  const std::string_view text = e.what();
  return any_stops() && (text.find("stopped") != std::string_view::npos ||
                         text.find("runtime is gone") != std::string_view::npos ||
                         text.find("in a cycle") != std::string_view::npos);
}

void execution::stop_runtime(const step& s) {
  ending& its = ends_[at(s.of)];
  its.asked.begin();
  if (!mistaken(mistake::forget_end)) on(s.of).stop();
  if (its.inside.load(std::memory_order_relaxed) != 0) {
    fail("stop() returned while tasks were under way");
  }
  if (its.unset.load(std::memory_order_relaxed) != 0) {
    fail("stop() returned while promises had no value");
  }
  if (!on(s.of).stopped()) fail("a runtime does not tell that it was stopped");
  its.over.store(true, std::memory_order_release);  // pairs with `spawn`
}

}  // namespace evencube::programs
