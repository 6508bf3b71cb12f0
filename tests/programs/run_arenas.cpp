#include "execution.hpp"

namespace evencube::programs {
namespace {

/// Runs f in the arena at once or, if no place is free, as soon as one is.
template <typename F>
long run_here_first(arena& in, const F& f) {
  bool begun = false;
  try {
    return in.run(
        [&] {
          begun = true;
          return f();
        },
        {.here_only = true});
  } catch (const error&) {
    if (begun) throw;
  }
  return in.run(f);
}

}  // namespace

/// Programs whose last tasks may run while the runtimes end have an arena for each call; in others
/// all calls with as many places share one, so that they are entered one within the other, in
/// whatever order.
limited& execution::shared_arena(int of, int places) {
  const std::lock_guard lock(mutex_);
  auto& found = arenas_[{of, places}];
  if (found == nullptr) found = std::make_unique<limited>(on(of), places);
  return *found;
}

std::shared_ptr<limited> execution::arena_of(const step& s) {
  if (program_.fresh) return std::make_shared<limited>(on(s.of), s.places);
  return {std::shared_ptr<limited>(), &shared_arena(s.of, s.places)};  // kept elsewhere
}

long execution::run_in_arena(const step& s, surroundings inside) {
  const auto enter = [&](limited& here) {
    inside.inside = &here;
    const auto call = [&]() -> long {
      if (s.size != a_coroutine) return run_task(s.inner[0], s.of, inside);
      return sync_wait(run_coroutine(s.inner[0], inside));
    };
    return begins_here_first(s) ? run_here_first(here.limit, call) : here.limit.run(call);
  };
  return enter(*arena_of(s));
}

void execution::work_inside(limited& here, int microseconds) {
  const unsigned now = here.working.fetch_add(1, std::memory_order_relaxed) + 1;
  if (now > here.limit.workers()) fail("more workers than the arena has ran at once");
  work(microseconds);
  here.working.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace evencube::programs
