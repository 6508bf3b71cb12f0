#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

namespace {

/// What goes through a pipeline.
struct carried {
  std::unique_ptr<int> number;
};

}  // namespace

/// One run of a pipeline: what was seen. Plain where the pipeline must keep order, see ticket.
struct execution::pipeline_state {
  struct stage_seen {
    std::atomic<int> inside{0};
    std::atomic<int> calls{0};
    int following = 0;  ///< how many have come, where they come one at a time
  };
  pipeline_state(const step& of, const surroundings& around, const stop_state* above)
      : s(of),
        inside{around.groups, above, of.of},
        barred(above->surely()),
        stages(of.inner.size()),
        passed(at(of.amount), -1),
        stopped(at(of.amount), 0) {}

  const step& s;
  const surroundings inside;
  const bool barred;  ///< stopped before it began
  std::vector<stage_seen> stages;
  /// The last stage that each value has passed.
  std::vector<int> passed;
  /// Whether it was known then that the pipeline had been stopped.
  std::vector<char> stopped;
  std::atomic<int> under_way{0};
  bool failed = false;  ///< written by the one call that throws
};

void execution::pipeline(const step& s, const surroundings& around) {
  pipeline_state l(s, around, above(around, s.of));
  bool completed = false;
  try {
    const bool stopped = run_pipeline(l) == wait_status::stopped;
    completed = !stopped;
    const bool perhaps = l.inside.stops->perhaps();
    if (l.barred && !stopped) fail("a pipeline did not tell that it was stopped");
    if (stopped && !perhaps) fail("a pipeline told of a stop that nobody asked for");
    if (l.failed) fail("an exception did not leave a pipeline");
  } catch (const thrown& e) {
    const auto threw = [&](const block& b) { return b.throws && b.id == e.block; };
    if (!l.failed || std::ranges::none_of(s.inner, threw)) {
      fail("another exception left a pipeline");
    }
  }
  for (std::size_t k = 0; k < l.stages.size(); ++k) {
    const int calls = l.stages[k].calls;
    if (l.stages[k].inside != 0) fail("a pipeline was over when a stage was not");
    if (completed && calls != s.amount) {
      fail("a stage, " + name(s.inner[k]) + ", was called " + std::to_string(calls) +
           " times for " + std::to_string(s.amount) + " values");
    }
    dropped_[at(s.inner[k].id)].fetch_add(s.amount - calls, std::memory_order_relaxed);
  }
}

wait_status execution::run_pipeline(pipeline_state& l) {
  const step& s = l.s;
  const int last = static_cast<int>(s.inner.size()) - 1;
  int given = 0;
  const auto input = [&]() -> std::optional<carried> {
    if (given == s.amount) return std::nullopt;
    if (mistaken(mistake::lose_value)) ++given;
    if (given == s.amount) return std::nullopt;
    const int number = given++;
    if (l.under_way.fetch_add(1, std::memory_order_relaxed) >= s.grain) {
      fail("more values were under way in a pipeline than it had tokens");
    }
    run_element(l, 0, number);
    return carried{std::make_unique<int>(number)};
  };
  const auto f = [&](int stage) {
    return [this, &l, stage, last](carried value) {
      run_element(l, at(stage), *value.number);
      if (stage == last) l.under_way.fetch_sub(1, std::memory_order_relaxed);
      return value;
    };
  };
  const bool shows = s.amount > s.grain;
  const std::size_t tokens = at(s.grain + (shows && mistaken(mistake::more_tokens) ? 1 : 0));
  const auto call = [&](auto... stages) {
    return s.by_call ? parallel_pipeline(on(s.of), tokens, input, std::move(stages)...)
                     : parallel_pipeline(tokens, input, std::move(stages)...);
  };
  const bool ordered = std::ranges::count(stages_of(s), stage::in_order) > 0;
  if (ordered && s.amount > 1 && tokens > 1 && mistaken(mistake::lose_order)) {
    const auto any = [&](int stage) { return serial_out_of_order(f(stage)); };
    return last == 1   ? call(any(1))
           : last == 2 ? call(any(1), any(2))
                       : call(any(1), any(2), any(3));
  }
  // As stages_of says.
  switch (s.variant) {
    case 0:
      return call(serial_in_order(f(1)));
    case 1:
      return call(serial_out_of_order(f(1)));
    case 2:
      return call(parallel_stage(f(1)));
    case 3:
      return call(parallel_stage(f(1)), serial_in_order(f(2)));
    case 4:
      return call(serial_in_order(f(1)), parallel_stage(f(2)), serial_out_of_order(f(3)));
    case 5:
      return call(serial_out_of_order(f(1)), parallel_stage(f(2)), serial_in_order(f(3)));
    default:
      return call(serial_in_order(f(1)), serial_in_order(f(2)), parallel_stage(f(3)));
  }
}

void execution::run_element(pipeline_state& l, std::size_t k, int number) {
  const block& b = l.s.inner[k];
  const std::string where = "a stage, " + name(b) + ", ";
  // The input gives one value at a time, in their order.
  const stage kind = k == 0 ? stage::in_order : stages_of(l.s)[k - 1];
  pipeline_state::stage_seen& mine = l.stages[k];
  if (mine.inside.fetch_add(1, std::memory_order_relaxed) != 0 && kind != stage::in_parallel) {
    fail(where + "was called while it was under way");
  }
  mine.calls.fetch_add(1, std::memory_order_relaxed);
  if (l.barred) fail(where + "was called in a pipeline that had been stopped before");
  if (kind != stage::in_parallel) {
    const int following = mine.following++;
    if (kind == stage::in_order && following != number)
      fail(where + "was not given the values in their order");
  }
  if (l.passed[at(number)] != static_cast<int>(k) - 1)
    fail(where + "was given a value that had not passed the one before");
  if (l.stopped[at(number)] != 0)
    fail(where + "was called though the pipeline had been stopped when the one before ended");
  l.passed[at(number)] = static_cast<int>(k);
  const bool throws = b.throws && number == l.s.failing;
  if (throws) l.failed = true;
  struct leaving {
    std::atomic<int>& inside;
    ~leaving() { inside.fetch_sub(1, std::memory_order_relaxed); }
  } const at_end{mine.inside};
  try {
    run_task(b, l.s.of, l.inside);
  } catch (const thrown&) {
    if (throws) throw;
  }
  l.stopped[at(number)] = l.inside.stops->surely() ? 1 : 0;
}

}  // namespace evencube::programs
