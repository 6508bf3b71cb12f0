#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <evencube/evencube.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "deadline.hpp"

// Where workers run, as the kernel reports it from within their tasks.

namespace {

std::atomic<bool> refused{false};
thread_local int bindings = 0;  // number of requests by this thread

}  // namespace

// Replaces the system's function, for the library and for hwloc.
extern "C" int sched_setaffinity(pid_t thread, std::size_t size, const cpu_set_t* mask) noexcept {
  ++bindings;
  if (refused) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(syscall(SYS_sched_setaffinity, thread, size, mask));
}

namespace evencube {
namespace {

std::vector<unsigned> allowed_here() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<unsigned> units;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return units;
  for (unsigned unit = 0; unit < CPU_SETSIZE; ++unit) {
    if (CPU_ISSET(unit, &mask)) units.push_back(unit);
  }
  return units;
}

/// The mask of every worker's thread, read by a task that only that worker may run, because there
/// is no planning and there are no pulls.
std::vector<std::vector<unsigned>> masks_of(runtime& rt) {
  std::vector<std::vector<unsigned>> masks(rt.workers());
  rt.run([&] {
    task_group group;
    for (unsigned k = 0; k < rt.workers(); ++k) {
      group.spawn([&masks] { masks[this_worker()] = allowed_here(); }, {.home = k});
    }
    group.wait();
  });
  return masks;
}

TEST(pinning, binds_every_worker_to_the_unit_it_was_placed_on) {
  // As many workers as units, and more: then several workers share a unit.
  for (const unsigned workers : {0U, 5U}) {
    runtime rt({.workers = workers, .mode = balancer_mode::on_demand, .pulls = false});
    const test::deadline deadline(rt);
    const std::vector<unsigned> before = allowed_here();
    const auto masks = masks_of(rt);
    ASSERT_EQ(rt.placement().size(), masks.size());
    for (std::size_t k = 0; k < masks.size(); ++k) {
      EXPECT_EQ(masks[k], std::vector{rt.hardware().units[rt.placement()[k]].os_index})
          << "worker " << k << " of " << masks.size();
    }
    // The thread that was worker 0 has its own mask back.
    EXPECT_EQ(allowed_here(), before);
  }
}

TEST(pinning, is_as_wide_as_asked) {
  for (const auto& [policy, said] :
       {std::pair{pinning::unit, ""}, std::pair{pinning::core, "; each bound to its core"},
        std::pair{pinning::cache, "; each bound to its last-level cache"},
        std::pair{pinning::numa, "; each bound to its NUMA node"},
        std::pair{pinning::none, "; not bound"}}) {
    runtime rt({.workers = 3, .mode = balancer_mode::on_demand, .pulls = false, .pin_to = policy});
    const test::deadline deadline(rt);
    const std::vector<unsigned> before = allowed_here();
    const auto masks = masks_of(rt);
    for (std::size_t k = 0; k < masks.size(); ++k) {
      const auto wanted = units_to_pin_to(rt.hardware(), rt.placement()[k], policy);
      EXPECT_EQ(masks[k], policy == pinning::none ? before : wanted)
          << "worker " << k << " bound to " << to_string(policy);
    }
    EXPECT_EQ(allowed_here(), before);
    EXPECT_THAT(rt.reason(), testing::EndsWith(said));
    EXPECT_THAT(rt.describe(), testing::HasSubstr(rt.reason()));
  }
}

TEST(pinning, of_the_caller_can_be_left_out_call_by_call) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt);
  arena in(rt, {.workers = 1});
  const std::vector<unsigned> before = allowed_here();
  const std::thread::id caller = std::this_thread::get_id();
  const auto mask = [&] {  // no fork, so the caller runs it
    EXPECT_EQ(std::this_thread::get_id(), caller);
    return allowed_here();
  };
  bindings = 0;
  EXPECT_EQ(rt.run(mask, {.pin = false}), before);
  EXPECT_EQ(in.run(mask, {.pin = false}), before);
  // Each call binds the thread to its unit and releases it, at most.
  EXPECT_LE(bindings, 4);
  const std::vector bound{rt.hardware().units[rt.placement()[0]].os_index};
  EXPECT_EQ(rt.run(mask), bound);
  EXPECT_EQ(in.run(mask), bound);
  EXPECT_GE(bindings, 4);
  EXPECT_EQ(allowed_here(), before);
}

TEST(pinning, of_the_caller_is_left_out_where_it_is_the_only_worker) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  const std::vector<unsigned> before = allowed_here();
  bindings = 0;
  EXPECT_EQ(rt.run(allowed_here), before);
  EXPECT_EQ(bindings, 0);
  // The thread that stands in for worker 0 has a place of its own.
  const std::vector bound{rt.hardware().units[rt.placement()[0]].os_index};
  EXPECT_EQ(rt.async(allowed_here).get(), bound);
}

TEST(pinning, is_inherited_by_threads_of_tasks_until_these_undo_it) {
  const auto everywhere = allowed_here();
  runtime rt({.workers = 2});
  std::vector<unsigned> inherited;
  std::vector<unsigned> undone;
  bool accepted = false;
  rt.run([&] {
    std::thread([&] {
      inherited = allowed_here();
      accepted = unpin_current_thread();
      undone = allowed_here();
    }).join();
    EXPECT_EQ(allowed_here().size(), 1U);  // the mask of the worker itself is unchanged
  });
  EXPECT_EQ(inherited.size(), 1U);
  EXPECT_TRUE(accepted);
  EXPECT_EQ(undone, everywhere);
}

TEST(pinning, that_is_refused_is_told) {
  refused = true;
  runtime rt({.workers = 3, .mode = balancer_mode::on_demand, .pulls = false});
  const test::deadline deadline(rt);
  const std::vector<unsigned> before = allowed_here();
  for (const auto& mask : masks_of(rt)) EXPECT_EQ(mask, before);
  refused = false;
  EXPECT_THAT(rt.reason(), testing::EndsWith("; the system refuses to bind worker 0, 1, 2"));
  EXPECT_THAT(rt.describe(), testing::HasSubstr(rt.reason()));
}

TEST(pinning, of_a_spare_worker_is_that_of_the_place_it_holds) {
  for (unsigned k = 0; k < 3; ++k) {
    // A spare worker that is lent again may come upon a task before it has moved to its next place.
    runtime rt(
        {.workers = 3, .spare_workers = 1, .mode = balancer_mode::on_demand, .pulls = false});
    const test::deadline deadline(rt);
    task_group group(rt);
    std::atomic<bool> ran{false};
    std::vector<unsigned> mask;
    unsigned place = 0;
    group.spawn(
        [&] {
          place = this_worker();  // the home is a hint
          group.spawn([&] {
            if (this_worker() == rt.workers()) mask = allowed_here();
            ran = true;
          });
          blocking([&] {
            while (!ran) std::this_thread::yield();
          });
        },
        {.home = k});
    group.wait();
    // Another worker without work may have been quicker.
    if (!mask.empty()) {
      EXPECT_EQ(mask, units_to_pin_to(rt.hardware(), rt.placement()[place], pinning::unit))
          << "in the place of worker " << place;
    }
  }
}

TEST(pinning, off_leaves_every_worker_where_the_process_may_run) {
  runtime rt({.workers = 3, .mode = balancer_mode::on_demand, .pulls = false, .pin = false});
  const test::deadline deadline(rt);
  const std::vector<unsigned> before = allowed_here();
  for (const auto& mask : masks_of(rt)) EXPECT_EQ(mask, before);
}

}  // namespace
}  // namespace evencube
