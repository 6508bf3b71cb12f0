// Memory runs out, at each allocation of a scene in turn and from each one on: what the contract
// says happens, what was accepted runs once, and the runtime goes on working afterwards.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <functional>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#ifdef EVENCUBE_TEST_HWLOC
#include <hwloc.h>
#endif

#include "deadline.hpp"
#include "failing_new.hpp"

namespace evencube {
namespace {

using test::failing_new;

/// True if f() ended, false if it threw std::bad_alloc.
template <typename F>
bool had_memory(F&& f) {
  try {
    f();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

#ifdef EVENCUBE_TEST_HWLOC
/// Keeps the plugins of hwloc loaded. Those written in C++ allocate while they are loaded: a
/// failure there is thrown through hwloc, which then never unlocks its mutex.
class loaded_plugins : public testing::Environment {
 public:
  void SetUp() override { ASSERT_EQ(hwloc_topology_init(&topology_), 0); }
  void TearDown() override { hwloc_topology_destroy(topology_); }

 private:
  hwloc_topology_t topology_ = nullptr;
};
[[maybe_unused]] testing::Environment* const plugins =
    testing::AddGlobalTestEnvironment(new loaded_plugins);
#endif

class memory_runs_out : public testing::TestWithParam<std::tuple<unsigned, failing_new::kind>> {
 protected:
  [[nodiscard]] static unsigned workers() { return std::get<0>(GetParam()); }

  /// Calls `act` with the first allocation failing, then the second, and so on until it makes no
  /// more; after each, with memory again, `check`.
  template <typename Act, typename Check>
  static void at_each_allocation(Act&& act, Check&& check) {
    std::uint64_t n = 0;
    for (bool failed = true; failed; ++n) {
      // Other threads may go on making allocations as long as the scene lasts; it gets there.
      ASSERT_LT(n, 20'000U);
      failing_new::begin(n, std::get<1>(GetParam()));
      act();
      failed = failing_new::end();
      check();
      ASSERT_FALSE(HasFailure()) << "allocation " << n;
    }
    RecordProperty("allocations", static_cast<int>(n));
  }

  static int sum_of_a_tree(int depth) {
    if (depth == 0) return 1;
    const auto [left, right] = fork_join([=] { return sum_of_a_tree(depth - 1); },
                                         [=] { return sum_of_a_tree(depth - 1); });
    return left + right;
  }

  /// The runtime does all that it is for.
  static void expect_works(runtime& rt) {
    EXPECT_EQ(rt.run([] { return sum_of_a_tree(6); }), 64);
    std::atomic<int> ran{0};
    task_group group(rt);
    for (int i = 0; i < 20; ++i) group.spawn([&] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, 20);
    EXPECT_EQ(rt.async([] { return 7; }).get(), 7);
  }
};

TEST_P(memory_runs_out, while_a_runtime_is_made) {
  const test::deadline deadline(std::vector<const runtime*>{}, std::chrono::seconds{60});
  at_each_allocation(
      [] {
        had_memory([] {
          runtime rt({.workers = workers(), .mode = balancer_mode::thread});
          rt.run([] {});
        });
      },
      [] {});
}

TEST_P(memory_runs_out, while_tasks_are_spawned) {
  runtime rt({.workers = workers()});
  const test::deadline deadline(rt);
  int accepted = 0;
  std::atomic<int> ran{0};
  at_each_allocation(
      [&] {
        accepted = 0;
        ran = 0;
        had_memory([&] {
          rt.run([&] {
            task_group group;
            had_memory([&] {
              for (; accepted < 2000; ++accepted) {
                group.spawn([&] { ++ran; }, {.home = accepted % static_cast<int>(workers())});
              }
            });
            group.wait();
          });
        });
      },
      [&] {
        EXPECT_EQ(ran, accepted);
        expect_works(rt);
      });
}

// Lanes need none: what was made is queued.
TEST_P(memory_runs_out, while_tasks_of_all_priorities_are_spawned) {
  runtime rt({.workers = workers()});
  const test::deadline deadline(rt);
  constexpr priority levels[] = {priority::high, priority::normal, priority::low};
  int accepted = 0;
  std::atomic<int> ran{0};
  at_each_allocation(
      [&] {
        accepted = 0;
        ran = 0;
        had_memory([&] {
          rt.run([&] {
            task_group group;
            had_memory([&] {
              for (; accepted < 500; ++accepted) {
                group.spawn([&] { ++ran; }, {.priority = levels[accepted % 3]});
              }
              for (const priority level : levels) {
                auto value = rt.async([] { return 7; }, {.priority = level});
                auto next = value.then([](int seven) { return seven; }, {.priority = level});
                EXPECT_EQ(next.get(), 7);
              }
            });
            group.wait();
          });
        });
      },
      [&] {
        EXPECT_EQ(ran, accepted);
        expect_works(rt);
      });
}

TEST_P(memory_runs_out, while_threads_outside_spawn) {
  int accepted = 0;
  std::atomic<int> ran{0};
  at_each_allocation(
      [&] {
        accepted = 0;
        ran = 0;
        // Anew each time, so that its threads and pools are made while there is no memory.
        had_memory([&] {
          runtime rt({.workers = workers()});
          task_group group(rt);
          had_memory([&] {
            for (; accepted < 40; ++accepted) group.spawn([&] { ++ran; });
          });
          group.wait();
        });
      },
      [&] { EXPECT_EQ(ran, accepted); });
}

TEST_P(memory_runs_out, while_futures_are_made_and_waited_for) {
  runtime rt({.workers = workers()});
  const test::deadline deadline(rt);
  at_each_allocation(
      [&] {
        had_memory([&] {
          auto outer = rt.async([&] {
            auto inner = rt.async([] { return std::vector<int>(100, 1); });
            return inner.get().size();
          });
          EXPECT_EQ(outer.get(), 100U);
        });
      },
      [&] { expect_works(rt); });
}

// What fails leaves the futures as they were; what was accepted runs, for no memory is needed then.
TEST_P(memory_runs_out, while_futures_are_continued) {
  runtime rt({.workers = workers()});
  const test::deadline deadline(rt, std::chrono::seconds{60});
  std::vector<future<int>> kept;
  kept.reserve(8);
  future<std::vector<future<int>>> all;
  future<when_any_result<std::vector<future<int>>>> any;
  at_each_allocation(
      [&] {
        had_memory([&] {
          for (int i = 0; i < 4; ++i) kept.push_back(rt.async([i] { return i; }));
          for (int i = 0; i < 4; ++i) {
            auto& f = kept[static_cast<std::size_t>(i)];
            const auto next = [](int k) { return k; };
            for (int n = 0; n < 3; ++n) {
              auto continued = i % 2 == 0 ? f.then(next) : f.then(next, {.home = 0});
              EXPECT_FALSE(f.valid());
              f = std::move(continued);
            }
          }
        });
        had_memory([&] { all = when_all(std::move(kept)); });
        had_memory([&] {
          std::vector<future<int>> some;
          some.reserve(2);
          some.push_back(make_ready_future(rt, 1));
          some.push_back(make_ready_future(rt, 2));
          try {
            any = when_any(std::move(some));
          } catch (const std::bad_alloc&) {
            EXPECT_EQ(some.size(), 2U);
            throw;
          }
        });
      },
      [&] {
        if (all.valid()) {
          EXPECT_TRUE(kept.empty());
          kept = all.get();
        }
        for (std::size_t i = 0; i < kept.size(); ++i) {
          ASSERT_TRUE(kept[i].valid());
          EXPECT_EQ(kept[i].get(), static_cast<int>(i));
        }
        kept.clear();
        kept.reserve(8);
        if (any.valid()) {
          EXPECT_EQ(any.get().index, 0U);
        }
        expect_works(rt);
      });
}

TEST_P(memory_runs_out, while_tasks_fork) {
  runtime rt({.workers = workers()});
  const test::deadline deadline(rt);
  int sum = 0;
  bool ended = false;
  at_each_allocation(
      [&] { ended = had_memory([&] { sum = rt.run([] { return sum_of_a_tree(12); }); }); },
      [&] {
        EXPECT_EQ(ended ? sum : 4096, 4096);
        expect_works(rt);
      });
}

TEST_P(memory_runs_out, in_loops) {
  runtime rt({.workers = workers()});
  const test::deadline deadline(rt);
  std::array<std::atomic<int>, 3000> calls;
  bool ended = false;
  long sum = 0;
  at_each_allocation(
      [&] {
        for (auto& c : calls) c = 0;
        ended = had_memory([&] {
          rt.run([&] {
            parallel_for(std::size_t{0}, calls.size(), [&](std::size_t i) { ++calls[i]; });
          });
        });
        sum = -1;
        had_memory([&] {
          sum = rt.run([] {
            return parallel_reduce(
                0, 3000, 0L,
                [](int i) {
                  return parallel_reduce(
                      0, i % 8, 0L, [](int k) { return long{k}; }, std::plus<>());
                },
                std::plus<>());
          });
        });
      },
      [&] {
        for (const auto& c : calls) EXPECT_TRUE(c == 1 || (!ended && c == 0)) << c;
        // A loop that cannot give a piece away goes on by itself.
        EXPECT_TRUE(sum == -1 || sum == 3000 / 8 * (0 + 0 + 1 + 3 + 6 + 10 + 15 + 21)) << sum;
        expect_works(rt);
      });
}

TEST_P(memory_runs_out, in_rounds_and_while_the_runtime_is_held) {
  for (const char* const balancer : {"oem", "diffusion", "locality", "gradient"}) {
    for (const char* const transmission : {"direct", "pipelined"}) {
      SCOPED_TRACE(std::string(balancer) + ", " + transmission);
      runtime rt({.workers = workers()});
      const test::deadline deadline(rt);
      int accepted = 0;
      std::atomic<int> ran{0};
      long before = 0;
      long after = 0;
      at_each_allocation(
          [&] {
            accepted = 0;
            ran = 0;
            before = after = 0;
            had_memory([&] {
              rt.use_balancer(balancer, {}, transmission);
              task_group group(rt);
              had_memory([&] {
                hold_guard held = rt.hold();
                had_memory([&] {
                  for (; accepted < 30; ++accepted) group.spawn([&] { ++ran; }, {.home = 0});
                });
                const auto first = held.loads();
                before = std::accumulate(first.begin(), first.end(), 0L);
                had_memory([&] { held.balance(); });
                const auto then = held.loads();
                after = std::accumulate(then.begin(), then.end(), 0L);
                static_cast<void>(held.tasks());
              });
              had_memory([&] { rt.balance(); });
              group.wait();
            });
          },
          [&] {
            EXPECT_EQ(ran, accepted);
            EXPECT_TRUE(after == 0 || after == before) << before << " quanta became " << after;
            expect_works(rt);
          });
    }
  }
}

TEST_P(memory_runs_out, while_a_run_is_recorded) {
  runtime rt({.workers = workers()});
  const test::deadline deadline(rt);
  std::atomic<int> ran{0};
  at_each_allocation(
      [&] {
        ran = 0;
        const bool recording = had_memory([&] { rt.start_recording({}); });
        had_memory([&] {
          rt.run([&] {
            task_group group;
            had_memory([&] {
              for (int i = 0; i < 20; ++i) group.spawn([&] { ++ran; });
            });
            group.wait();
          });
        });
        if (recording) had_memory([&] { static_cast<void>(rt.stop_recording()); });
      },
      [&] {
        // Whatever failed, the next recording can begin.
        try {
          static_cast<void>(rt.stop_recording());
        } catch (const error&) {
        }
        expect_works(rt);
      });
}

TEST_P(memory_runs_out, where_a_thread_takes_its_place_as_a_worker) {
  std::optional<runtime> rt;
  bool ran = false;
  rt.emplace(runtime_options{.workers = workers()});
  at_each_allocation(
      [&] {
        ran = false;
        had_memory([&] { rt->run([&] { ran = true; }); });
      },
      [&] {
        const test::deadline deadline(*rt);
        rt->stop();
        EXPECT_TRUE(rt->stopped());
        rt.emplace(runtime_options{.workers = workers()});
      });
  EXPECT_TRUE(ran);
}

INSTANTIATE_TEST_SUITE_P(at, memory_runs_out,
                         testing::Combine(testing::Values(1U, 3U),
                                          testing::Values(failing_new::kind::one,
                                                          failing_new::kind::all_from)),
                         [](const auto& tested) {
                           return std::to_string(std::get<0>(tested.param)) +
                                  (std::get<1>(tested.param) == failing_new::kind::one
                                       ? "_workers_once"
                                       : "_workers_from_then_on");
                         });

}  // namespace
}  // namespace evencube
