#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <evencube/detail/patience.hpp>
#include <evencube/evencube.hpp>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#if !defined(_WIN32)
#include "control_group.hpp"
#endif
#include "deadline.hpp"
#include "platform_here.hpp"

namespace evencube::hotness_test {
namespace {

using namespace std::chrono_literals;

void spin_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

/// Parallel regions with gaps between them; those of 2 ms are too long to be learned.
void run_regions(runtime& rt, int regions, std::chrono::microseconds gap = 2ms) {
  for (int i = 0; i < regions; ++i) {
    rt.run([] { parallel_for(0, 64, [](int) { spin_for(1us); }); });
    spin_for(gap);
  }
}

bool never_hot(const runtime& rt) {
  return rt.hardware().units.size() < 2 || rt.hardware().quota <= 2;
}

/// True if two threads kept their processors for 5 ms.
bool machine_is_quiet() {
  std::atomic<bool> lost = false;
  const auto spin = [&lost] {
    auto last = std::chrono::steady_clock::now();
    const auto end = last + 5ms;
    while (last < end) {
      const auto now = std::chrono::steady_clock::now();
      if (now - last >= std::chrono::nanoseconds(detail::patience::lost_ns)) lost = true;
      last = now;
    }
  };
  std::thread other(spin);
  spin();
  other.join();
  return !lost;
}

enum class outcome { reached, not_reached, never_quiet };

/// Tries `reached` until it holds. Gives up when the machine has been quiet for three times the
/// longest penalty, or when it never has been in 20 s.
template <typename Reached>
outcome wait_in_quiet(Reached reached) {
  constexpr std::chrono::nanoseconds enough(3 * detail::patience::longest_penalty_ns);
  const auto began = std::chrono::steady_clock::now();
  for (auto quiet_since = began;;) {
    if (reached()) return outcome::reached;
    const bool quiet = machine_is_quiet();
    const auto now = std::chrono::steady_clock::now();
    if (!quiet) quiet_since = now;
    if (now - quiet_since > enough) return outcome::not_reached;
    if (now - began > 20s) return outcome::never_quiet;
  }
}

// Another worker stays awake between regions with gaps of 100 us, which are learned. A worker that
// has learned nothing stays awake for 20 us at a time.
bool is_warm(runtime& rt) {
  rt.reset_stats();
  run_regions(rt, 100, 100us);
  const worker_statistics other = rt.stats().workers[1];
  return other.awake_seconds > 40e-6 * static_cast<double>(other.wakeups_avoided) &&
         other.wakeups_avoided > 2 * other.parks;
}

TEST(hotness, is_learned_from_phases) {
  runtime rt({.workers = 2});
  if (never_hot(rt)) GTEST_SKIP() << "never hot here";
  const test::deadline deadline(rt, 60s);
  const outcome found = wait_in_quiet([&rt] { return is_warm(rt); });
  if (found == outcome::never_quiet) GTEST_SKIP() << "the machine was never quiet";
  EXPECT_EQ(found, outcome::reached);
}

// Each worker may be in its last stretch when the phases stop.
TEST(hotness, burns_nothing_once_the_phases_have_stopped) {
  for (const hotness how : {hotness::never, hotness::learned, hotness::always}) {
    runtime rt({.workers = 2, .hotness = how});
    const test::deadline deadline(rt, 60s);
    run_regions(rt, 300, 100us);
    rt.reset_stats();
    std::this_thread::sleep_for(200ms);
    for (const auto& worker : rt.stats().workers) {
      EXPECT_LE(worker.awake_seconds, 2e-9 * detail::patience::longest_ns) << static_cast<int>(how);
    }
  }
}

// Another worker stays awake between regions with gaps of 2 ms.
bool is_awake(runtime& rt) {
  rt.reset_stats();
  run_regions(rt, 20);
  const worker_statistics other = rt.stats().workers[1];
  return other.wakeups_avoided != 0 && other.awake_seconds > 1e-3;
}

TEST(hot_phase, keeps_workers_awake_over_long_gaps) {
  runtime rt({.workers = 2});
  if (never_hot(rt)) GTEST_SKIP() << "never hot here";
  const test::deadline deadline(rt, 60s);
  const hot_phase phase(rt, 60s);
  const outcome found = wait_in_quiet([&rt] { return is_awake(rt); });
  if (found == outcome::never_quiet) GTEST_SKIP() << "the machine was never quiet";
  EXPECT_EQ(found, outcome::reached);
}

// A stretch awake that nothing asks for is at most 20 us and a bit: how far two readings of the
// clock lie apart.
void expect_cold(runtime& rt, const char* why) {
  rt.reset_stats();
  run_regions(rt, 20);
  const worker_statistics other = rt.stats().workers[1];
  const auto stretches = static_cast<double>(other.parks + other.wakeups_avoided + 1);
  EXPECT_LE(other.awake_seconds, 80e-6 * stretches) << why;
}

#if !defined(_WIN32)  // which has no `fork`
bool is_cold(runtime& rt) {
  rt.reset_stats();
  run_regions(rt, 20);
  const worker_statistics other = rt.stats().workers[1];
  const auto stretches = static_cast<double>(other.parks + other.wakeups_avoided + 1);
  return other.awake_seconds <= 80e-6 * stretches;
}

// The child runs in the group, so that the group is empty in the end. Its limits are read again at
// most once a second, when a worker is about to stay awake for long.
TEST(hotness, follows_the_limits_of_a_container_while_it_runs) {
  for (const hotness chosen : {hotness::learned, hotness::always}) {
    const test::control_group group(64.0);
    if (!group) GTEST_SKIP() << "no such control group may be made here";
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(100);
      if (!group.enter()) ::_exit(3);
      {
        runtime rt({.workers = 2, .hotness = chosen});
        if (rt.hardware().units.size() < 2 || rt.hardware().quota <= 2) ::_exit(4);
        const auto wait_until = [&rt](bool (*reached)(runtime&)) {
          const outcome found = wait_in_quiet([&] { return reached(rt); });
          if (found != outcome::reached) ::_exit(found == outcome::never_quiet ? 4 : 7);
        };
        wait_until(is_warm);
        if (!group.resize(2.0)) ::_exit(5);
        wait_until(is_cold);
        if (!group.resize(64.0)) ::_exit(6);
        wait_until(is_warm);
      }
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "it did not follow in time: " << status;
    if (WEXITSTATUS(status) == 4) GTEST_SKIP() << "never hot here, or never quiet";
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}
#endif

TEST(hot_phase, ends_with_its_object_or_its_limit) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt, 60s);
  std::optional<hot_phase> phase(std::in_place, rt);
  run_regions(rt, 2);
  phase.reset();
  std::this_thread::sleep_for(1ms);
  expect_cold(rt, "its object is gone");
  phase.emplace(rt, 1ns);
  std::this_thread::sleep_for(1ms);
  expect_cold(rt, "its limit is over");
}

TEST(hot_phase, lasts_as_long_as_the_longest_of_several) {
  runtime rt({.workers = 2});
  if (never_hot(rt)) GTEST_SKIP() << "never hot here";
  const test::deadline deadline(rt, 60s);
  const hot_phase longest(rt, 60s);
  std::optional<hot_phase> shorter(std::in_place, rt, 1ns);
  shorter.reset();
  const outcome found = wait_in_quiet([&rt] { return is_awake(rt); });
  if (found == outcome::never_quiet) GTEST_SKIP() << "the machine was never quiet";
  EXPECT_EQ(found, outcome::reached);
}

TEST(hot_phase, is_no_reason_where_the_runtime_is_never_hot) {
  runtime rt({.workers = 2, .hotness = hotness::never});
  const test::deadline deadline(rt, 60s);
  const hot_phase phase(rt, 60s);
  expect_cold(rt, "never");
}

TEST(hot_phase, may_outlive_its_runtime) {
  std::optional<hot_phase> phase;
  {
    runtime rt({.workers = 2});
    const test::deadline deadline(rt, 60s);
    phase.emplace(rt);
    rt.run([] {});
  }
  phase.reset();
}

#if !defined(_WIN32)  // which has no `fork`
// Another thread may hold the lock of the phases at the moment of the fork.
TEST(hot_phase, ends_in_a_forked_child_while_others_come_and_go) {
  if (!test::follows_forks()) GTEST_SKIP() << "the platform follows no forks";
  runtime rt({.workers = 2});
  const test::deadline deadline(rt, 60s);
  std::optional<hot_phase> inherited(std::in_place, rt);
  std::jthread busy([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) const hot_phase phase(rt);
  });
  for (int i = 0; i < 300; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(20);
      inherited.reset();
      try {
        const hot_phase another(rt);
      } catch (const error&) {
        ::_exit(0);
      }
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}
#endif

TEST(hot_phase, refuses_a_limit_that_makes_no_sense) {
  runtime rt({.workers = 1});
  for (const auto limit : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(-5),
                           std::chrono::nanoseconds(1h) + 1ns}) {
    try {
      const hot_phase phase(rt, limit);
      ADD_FAILURE() << limit.count() << " was taken";
    } catch (const std::invalid_argument& refusal) {
      const std::string text = refusal.what();
      EXPECT_NE(text.find(std::to_string(limit.count())), std::string::npos) << text;
      EXPECT_NE(text.find("at most an hour"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace evencube::hotness_test
