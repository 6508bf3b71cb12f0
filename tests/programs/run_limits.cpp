#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

#include "execution.hpp"

namespace evencube::programs {

void execution::run_with_limit(const step& s, const surroundings& around) {
  const block& b = s.inner[0];
  stop_state stops(above(around, s.of));
  if (s.limit < passes_never) stops.begin();  // at any moment
  const std::shared_ptr<limited> in = s.places != 0 ? arena_of(s) : nullptr;
  const surroundings inside{nullptr, &stops, s.of,
                            in != nullptr          ? in.get()
                            : around.where == s.of ? around.inside
                                                   : nullptr};
  bool called = false;
  const auto body = [&](const std::stop_token& token) {
    called = true;
    if (token.stop_requested() && !stops.perhaps()) fail("a token told of a stop too early");
    return run_task(b, s.of, inside);
  };
  const std::chrono::microseconds time{s.limit};
  const auto run = [&](auto& where) -> std::optional<long> {
    if (s.variant == until_a_time) return run_until(where, clock::now() + time, body);
    return run_for(where, time, body);
  };
  try {
    const std::optional<long> value = in != nullptr ? run(in->limit) : run(on(s.of));
    if (value) {
      check_value(b, *value);
    } else {
      if (!stops.perhaps()) fail("a run with a limit was stopped long before it");
      if (called && b.throws) fail("the exception of " + name(b) + " did not arrive");
    }
  } catch (const thrown& e) {
    check_exception(b, e);
  } catch (const error& e) {
    if (!is_refusal(e)) throw;
  }
  if (!called) dropped_[at(b.id)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace evencube::programs
