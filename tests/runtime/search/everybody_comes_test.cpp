#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <evencube/arena.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>

#include "deadline.hpp"

// A loop is shared with every worker that has nothing to do, wherever its work began. Worker 0 has
// a thread only while there is something to do, so it is the one that is easily left out.

namespace evencube::everybody_comes_test {
namespace {

using work = std::function<void()>;

task<void> as_coroutine(const work& f) {
  f();
  co_return;
}

/// How the task that calls the loop comes to a worker.
struct origin {
  const char* name;
  void (*run)(runtime&, const work&);

  friend std::ostream& operator<<(std::ostream& out, const origin& o) { return out << o.name; }
};

const origin origins[] = {
    {"run", [](runtime& rt, const work& f) { rt.run(f); }},
    {"async", [](runtime& rt, const work& f) { rt.async(f).get(); }},
    {"async_after_run",
     [](runtime& rt, const work& f) {
       rt.run([] {});
       rt.async(f).get();
     }},
    {"async_in_run", [](runtime& rt, const work& f) { rt.run([&] { rt.async(f).get(); }); }},
    {"group",
     [](runtime& rt, const work& f) {
       task_group group(rt);
       group.spawn(f);
       group.wait();
     }},
    {"high_priority",
     [](runtime& rt, const work& f) {
       task_group group(rt);
       group.spawn(f, {.priority = priority::high});
       group.wait();
     }},
    {"coroutine", [](runtime& rt, const work& f) { sync_wait(rt, as_coroutine(f)); }},
    {"arena",
     [](runtime& rt, const work& f) {
       arena all(rt, {.workers = rt.workers()});
       all.async(f).get();
     }},
};

class everybody_comes : public testing::TestWithParam<std::tuple<origin, std::string, unsigned>> {};

TEST_P(everybody_comes, to_a_loop) {
  const auto& [from, strategy, workers] = GetParam();
  runtime rt({.workers = workers, .balancer = strategy});
  const test::deadline deadline(rt);
  const std::uint32_t everybody = (1U << workers) - 1;
  for (int round = 0; round < 4; ++round) {
    std::atomic<std::uint32_t> seen{0};
    // Nobody waits for the others for long, because work is shared between two iterations.
    from.run(rt, [&, everybody = everybody] {
      parallel_for(0U, 1000 * rt.workers(), [&](unsigned /*i*/) {
        seen |= 1U << this_task::worker().value();
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
        while (seen != everybody && std::chrono::steady_clock::now() < end) {
          std::this_thread::yield();
        }
      });
    });
    EXPECT_EQ(std::popcount(seen.load()), static_cast<int>(workers)) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(wherever_it_began, everybody_comes,
                         testing::Combine(testing::ValuesIn(origins),
                                          testing::Values("oem", "random_stealing"),
                                          testing::Values(2U, 3U, 5U, 8U)),
                         [](const auto& about) {
                           return std::string(std::get<0>(about.param).name) + "_" +
                                  std::get<1>(about.param) + "_" +
                                  std::to_string(std::get<2>(about.param));
                         });

}  // namespace
}  // namespace evencube::everybody_comes_test
