// The random programs themselves, on a runtime that gives every task a thread: they are allowed
// programs, which end and pass their checks; and the checks find what is made wrong on purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "interpret.hpp"
#include "print.hpp"
#include "random.hpp"
#include "shrink.hpp"
#include "sweep.hpp"
#include "watchdog.hpp"

namespace evencube::programs {
namespace {

using std::chrono::seconds;

TEST(programs, end_with_a_thread_for_every_task) {
  sweep_options options;
  options.programs = slowness() == 1 ? 300 : 20;
  const sweep_result result = sweep(options);
  ASSERT_FALSE(result.failed) << "seed " << result.failed->seed << ", " << result.failed->workers
                              << " workers";
  EXPECT_EQ(result.programs, options.programs * static_cast<std::int64_t>(options.workers.size()));
}

TEST(programs, are_the_same_for_a_seed_and_others_for_others) {
  std::set<std::string> all;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::string text = to_cpp(generate(seed, 3));
    EXPECT_EQ(to_cpp(generate(seed, 3)), text);
    all.insert(text);
  }
  EXPECT_EQ(all.size(), 100U);
}

// What is never drawn is never tried.
// A block in there would never run. One got there by a pointer to a step that an insertion had
// moved.
TEST(programs, have_nothing_inside_of_steps_that_run_nothing) {
  for (std::uint64_t seed = 80'000; seed < 84'000; ++seed) {
    const program p = generate(seed, 1);
    for_each_block(p, [&](const block& b) {
      for (const step& s : b.steps) {
        const bool runs_nothing = s.what == action::work || s.what == action::wait_group ||
                                  s.what == action::stop_group || s.what == action::ask_stop;
        EXPECT_TRUE(!runs_nothing || s.inner.empty()) << "seed " << seed;
      }
    });
  }
}

TEST(programs, are_made_of_everything) {
  std::set<action> seen;
  std::set<std::pair<action, int>> variants;
  std::set<source> sources;
  bool kept[2] = {};
  std::set<int> limits;
  bool races = false;
  std::set<loop_form> forms;
  std::set<std::pair<action, loop_body>> bodies;
  bool renewed[2] = {};
  std::set<stop_way> stops;
  std::set<stop_way> graph_stops;
  std::set<stop_way> loop_stops;
  bool skips = false;
  std::set<passing> passed;
  std::set<std::size_t> arguments;
  bool throws[2] = {};
  bool fresh[2] = {};
  bool outlive[2] = {};
  bool survives[2] = {};
  bool two[2] = {};
  bool checks[2] = {};
  bool measures[2] = {};
  bool ends[2] = {};
  bool spares[2] = {};
  bool late[2] = {};
  bool homes[2] = {};
  std::set<int> levels;
  std::set<telling> tells;
  std::set<int> hotnesses;
  bool hinted[2] = {};
  bool lasting[2] = {};
  std::set<closure> sizes;
  std::set<int> places;
  std::set<action> placed;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const program p = generate(seed, 3);
    fresh[p.fresh ? 1 : 0] = true;
    outlive[p.futures_outlive ? 1 : 0] = true;
    survives[p.queue_survives ? 1 : 0] = true;
    two[p.runtimes.size() - 1] = true;
    ends[p.ends_early ? 1 : 0] = true;
    checks[p.runtimes[0].checks ? 1 : 0] = true;
    measures[p.runtimes[0].measures ? 1 : 0] = true;
    spares[p.runtimes[0].spares > 0 ? 1 : 0] = true;
    tells.insert(p.runtimes[0].tells);
    hotnesses.insert(p.runtimes[0].hot);
    hinted[p.hot_for > 0 ? 1 : 0] = true;
    lasting[p.runtimes[0].lasting ? 1 : 0] = true;
    late[p.late_threads > 0 ? 1 : 0] = true;
    for_each_block(p, [&](const block& b) {
      throws[b.throws ? 1 : 0] = true;
      for (const step& s : b.steps) {
        seen.insert(s.what);
        variants.emplace(s.what, s.variant);
        sources.insert(s.from);
        if (gives_up(s)) limits.insert(s.variant);
        races = races || (s.from == any_of_several && s.amount == stops_others);
        if (s.from == a_promise) kept[s.amount == set_at_once ? 0 : 1] = true;
        if (s.what == action::loop) forms.insert(s.form);
        if (s.what == action::loop || s.what == action::reduce) bodies.emplace(s.what, s.body);
        if (s.what == action::scope) renewed[s.inner.size() - 1] = true;
        if (s.what == action::loop) loop_stops.insert(s.stops);
        stops.insert(s.stops);
        if (s.what == action::graph) {
          graph_stops.insert(s.stops);
          for (const edge& e : s.edges) passed.insert(e.value);
          for (int k = 0; k < static_cast<int>(s.inner.size()); ++k) {
            arguments.insert(values_to(s, k).size());
          }
          skips = skips || std::ranges::count(nodes_called(s, 0), false) > 0;
        }
        homes[s.home >= 0 ? 1 : 0] = true;
        levels.insert(s.level);
        sizes.insert(s.size);
        if (s.places != 0) places.insert(s.places);
        if (s.places != 0) placed.insert(s.what);
        EXPECT_TRUE(s.level == 0 || s.home < 0);
      }
    });
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(action::await_flag) + 1);
  EXPECT_GT(places.size(), 1);
  EXPECT_EQ(placed, (std::set{action::scope, action::async, action::local_async, action::need,
                              action::run, action::meet}));
  for (const int end : {by_wait, by_destructor, by_exception}) {
    EXPECT_TRUE(variants.contains({action::scope, end})) << end;
  }
  for (const int end : {by_get, by_wait_and_get, dropped, by_wait_for, by_wait_until}) {
    EXPECT_TRUE(variants.contains({action::local_async, end})) << end;
  }
  for (const int limit : {without_limit, for_a_time, until_a_time}) {
    EXPECT_TRUE(variants.contains({action::wait_future, limit})) << limit;
    EXPECT_TRUE(variants.contains({action::wait_group, limit})) << limit;
  }
  EXPECT_EQ(stops.size(), static_cast<std::size_t>(by_token_before) + 1);
  EXPECT_EQ(forms.size(), static_cast<std::size_t>(by_transform) + 1);
  EXPECT_EQ(loop_stops.size(), 3U);
  EXPECT_EQ(bodies.size(), 2 * (static_cast<std::size_t>(not_copied) + 1));
  for (const int what : {a_scan, a_sort, a_stable_sort, a_search, an_exclusive_scan}) {
    EXPECT_TRUE(variants.contains({action::compute, what})) << what;
  }
  for (const int runs : {one_by_one, at_once, from_threads}) {
    EXPECT_TRUE(variants.contains({action::graph, runs})) << runs;
  }
  for (const stop_way way : {by_token, by_token_before}) EXPECT_TRUE(graph_stops.contains(way));
  EXPECT_TRUE(skips);
  EXPECT_EQ(passed.size(), static_cast<std::size_t>(passing::to_take) + 1);
  EXPECT_EQ(arguments.size(), most_values + 1);
  for (int shape = 0; shape < pipeline_shapes; ++shape) {
    EXPECT_TRUE(variants.contains({action::pipeline, shape})) << shape;
  }
  EXPECT_EQ(levels.size(), 3U);
  EXPECT_EQ(sizes.size(), static_cast<std::size_t>(a_coroutine) + 1);
  for (const int way : {0, 1}) EXPECT_TRUE(variants.contains({action::run, way})) << way;
  for (const int limit : {for_a_time, until_a_time}) EXPECT_TRUE(limits.contains(limit)) << limit;
  EXPECT_TRUE(races);
  EXPECT_TRUE(variants.contains({action::await_all, for_all}));
  EXPECT_TRUE(variants.contains({action::await_all, as_race}));
  for (const int what : {of_all, with_its_own, with_its_group, with_its_run, with_its_loop}) {
    EXPECT_TRUE(variants.contains({action::meet, what})) << what;
  }
  EXPECT_EQ(tells.size(), static_cast<std::size_t>(telling::of_tasks) + 1);
  EXPECT_EQ(hotnesses.size(), 3U);
  EXPECT_EQ(sources.size(), static_cast<std::size_t>(any_of_several) + 1);
  for (const auto& both : {throws, fresh, outlive, survives, two, ends, checks, measures, spares,
                           hinted, late, homes, lasting, renewed, kept}) {
    EXPECT_TRUE(both[0] && both[1]);
  }
}

/// The programs of many seeds, each with the mistake; what the sweep says at the first that fails.
sweep_result with_mistake(mistake what) {
  sweep_options options;
  options.programs = 200;
  options.workers = {3};
  options.mistake_at = {what, 0};
  // Programs that have what is not in the way of these mistakes have less of what is.
  const bool needs_little = what == mistake::spoil_value || what == mistake::stay_here;
  options.with.arenas = options.with.blocking = options.with.endings = !needs_little;
  options.patience = seconds{5};
  return sweep(options);
}

class mistake_found : public testing::TestWithParam<std::pair<mistake, int>> {};

// Soon: most programs have a chance to make it.
TEST_P(mistake_found, by_the_checks) {
  const auto [what, status] = GetParam();
  const sweep_result result = with_mistake(what);
  ASSERT_TRUE(result.failed);
  // A sanitizer may be the first to see it.
  if (slowness() == 1) {
    EXPECT_EQ(result.failed->status, status);
  }
  EXPECT_LT(result.programs, 100);
}

std::string name_of(const testing::TestParamInfo<std::pair<mistake, int>>& c) {
  switch (c.param.first) {
    case mistake::drop_task:
      return "a_dropped_task";
    case mistake::run_task_twice:
      return "a_doubled_task";
    case mistake::lose_exception:
      return "a_lost_exception";
    case mistake::other_result:
      return "another_result";
    case mistake::skip_wait:
      return "a_wait_left_out";
    case mistake::call_in_spite:
      return "a_continuation_called_in_spite_of_an_exception";
    case mistake::begin_early:
      return "a_continuation_that_begins_early";
    case mistake::forget_stop:
      return "a_group_that_goes_on";
    case mistake::run_barred:
      return "a_task_of_a_stopped_group";
    case mistake::drop_unasked:
      return "a_task_dropped_for_nothing";
    case mistake::skip_iteration:
      return "an_iteration_left_out";
    case mistake::spoil_result:
      return "an_algorithm_with_another_result";
    case mistake::skip_node:
      return "a_node_left_out";
    case mistake::lose_edge:
      return "an_edge_left_out";
    case mistake::lose_token:
      return "a_graph_that_is_not_stopped";
    case mistake::lose_value:
      return "a_value_left_out";
    case mistake::more_tokens:
      return "a_token_too_many";
    case mistake::lose_order:
      return "a_stage_without_order";
    case mistake::skip_await:
      return "an_await_left_out";
    case mistake::lose_part:
      return "a_coroutine_left_out";
    case mistake::forget_others:
      return "others_of_a_race_that_are_not_stopped";
    case mistake::stay_here:
      return "a_coroutine_that_stays";
    case mistake::end_early:
      return "a_coroutine_that_ends_early";
    case mistake::stay_inside:
      return "a_task_that_blocks_as_a_worker";
    case mistake::lose_gathered:
      return "a_value_of_a_worker_left_out";
    case mistake::forget_end:
      return "a_runtime_that_is_not_stopped";
    case mistake::spoil_value:
      return "another_value_along_an_edge";
    case mistake::tell_less:
      return "a_call_of_an_observer_left_out";
    case mistake::keep_stop:
      return "a_group_that_stays_stopped";
    case mistake::old_body:
      return "an_old_copy_of_a_body";
    case mistake::copied_body:
      return "a_copy_of_a_body_that_may_not_be_copied";
    default:
      return "a_task_without_end";
  }
}

INSTANTIATE_TEST_SUITE_P(
    of, mistake_found,
    testing::Values(
        std::pair{mistake::drop_task, wrong}, std::pair{mistake::run_task_twice, wrong},
        std::pair{mistake::lose_exception, wrong}, std::pair{mistake::other_result, wrong},
        std::pair{mistake::skip_wait, wrong}, std::pair{mistake::call_in_spite, wrong},
        std::pair{mistake::begin_early, wrong}, std::pair{mistake::forget_stop, wrong},
        std::pair{mistake::run_barred, wrong}, std::pair{mistake::drop_unasked, wrong},
        std::pair{mistake::skip_iteration, wrong}, std::pair{mistake::spoil_result, wrong},
        std::pair{mistake::skip_node, wrong}, std::pair{mistake::lose_edge, wrong},
        std::pair{mistake::lose_token, wrong}, std::pair{mistake::lose_value, wrong},
        std::pair{mistake::more_tokens, wrong}, std::pair{mistake::lose_order, wrong},
        std::pair{mistake::skip_await, wrong}, std::pair{mistake::lose_part, wrong},
        std::pair{mistake::forget_others, wrong}, std::pair{mistake::stay_here, wrong},
        std::pair{mistake::end_early, wrong}, std::pair{mistake::stay_inside, wrong},
        std::pair{mistake::lose_gathered, wrong}, std::pair{mistake::tell_less, wrong},
        std::pair{mistake::forget_end, wrong}, std::pair{mistake::spoil_value, wrong},
        std::pair{mistake::keep_stop, wrong}, std::pair{mistake::old_body, wrong},
        std::pair{mistake::copied_body, wrong}, std::pair{mistake::stay_for_ever, watchdog::hung}),
    name_of);

TEST(watchdog_of_programs, says_what_ran) {
  testing::internal::CaptureStderr();
  const sweep_result result = with_mistake(mistake::stay_for_ever);
  const std::string text = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(result.failed);
  EXPECT_NE(text.find("seed " + std::to_string(result.failed->seed) + " with 3 workers"),
            std::string::npos);
  EXPECT_NE(text.find("makes no progress"), std::string::npos);
  EXPECT_NE(text.find("int main() {"), std::string::npos);
  EXPECT_NE(text.find("a thread for every task"), std::string::npos);  // its describe()
}

// A failure that depends on two steps: what else there is goes.
TEST(shrinking, leaves_what_fails) {
  int tried = 0;
  const auto fails = [&](const program& p) {
    ++tried;
    bool forks = false;
    bool spawns_at_0 = false;
    for_each_block(p, [&](const block& b) {
      for (const step& s : b.steps) {
        forks = forks || s.what == action::fork;
        spawns_at_0 = spawns_at_0 || (s.what == action::spawn && s.home == 0);
      }
    });
    return forks && spawns_at_0;
  };
  int shrunk = 0;
  for (std::uint64_t seed = 1; shrunk < 20; ++seed) {
    const program p = generate(seed, 3);
    if (!fails(p)) continue;
    const program smallest = shrink(p, fails, seconds{60}, [](const program&) {});
    EXPECT_TRUE(fails(smallest));
    EXPECT_LE(count_steps(smallest), 6) << to_cpp(smallest);
    ++shrunk;
  }
  EXPECT_GT(tried, 0);
}

// What is tried on the way must end, too: else a shrinker would find a hang that is its own.
TEST(shrinking, tries_only_programs_that_end) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= (slowness() == 1 ? 40U : 3U); ++seed) {
    random_source random(seed);
    const auto fails = [&](const program& p) {
      if (random.chance(60)) return false;
      EXPECT_EQ(run_repeatedly(p, 2, seconds{10}, seconds{5} * slowness(), false), 0);
      ++accepted;
      return true;
    };
    static_cast<void>(shrink(generate(seed, 3), fails, seconds{60}, [](const program&) {}));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace evencube::programs
