// What leads a round, and what becomes of calls and requests for one
// (runtime/src/balance/migration.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/evencube.hpp>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::round_requests_test {
namespace {

constexpr auto never = std::numeric_limits<std::uint64_t>::max();

/// True if the next plan of `fails_once` throws.
std::atomic<bool> fails{false};

/// Throws once, and then moves one task from worker 0 to worker 1.
class fails_once final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "fails_once"; }
  void make_plan(const balance_request& request, plan& out) const override {
    reset_plan(out, 1);
    if (request.loads.front() < 2) return;
    if (fails.exchange(false)) throw std::runtime_error("no plan yet");
    out.phases.front().push_back({.from = 0, .to = 1, .quanta = 1});
  }
};

const std::string& registered_fails_once() {
  static const std::string name = [] {
    balancer_descriptor about;
    about.name = "fails_once";
    about.summary = "throws once";
    about.make = [](const balancer_options&) { return std::make_unique<fails_once>(); };
    register_balancer(about);
    return about.name;
  }();
  return name;
}

// For a millisecond after a round that threw there is none. A worker that pushes in this time calls
// too soon, and has nothing to push afterwards.
TEST(round_requests, calls_that_come_too_soon_are_kept) {
  for (int i = 0; i < 4; ++i) {
    fails = true;
    runtime rt({.workers = 2,
                .balancer = registered_fails_once(),
                .mode = balancer_mode::thread,
                .pulls = false,
                .pin = false,
                .threshold = 16});
    const test::deadline deadline(rt);
    std::atomic<bool> other_runs{false};
    std::atomic<bool> go{false};
    rt.run([&] {
      task_group group;
      group.spawn(
          [&] {
            other_runs = true;
            other_runs.notify_all();
            go.wait(false);
          },
          {.home = 1});
      other_runs.wait(false);
      while (rt.stats().failed_rounds == 0) {
        group.spawn([] {});
        std::this_thread::yield();
      }
      for (int k = 0; k < 20; ++k) group.spawn([] {});
      while (rt.stats().rounds == 0) std::this_thread::yield();
      go = true;
      go.notify_all();
      group.wait();
    });
  }
}

// No queue calls the thread, so what moves was moved by a worker that ran dry.
TEST(round_requests, of_dry_workers_make_them_lead_where_there_is_a_thread) {
  runtime rt({.workers = 2,
              .balancer = "dem",
              .mode = balancer_mode::thread,
              .pulls = false,
              .pin = false,
              .threshold = never});
  const test::deadline deadline(rt);
  while (rt.stats().requests.moved == 0) {
    rt.run([&] {
      task_group group;
      for (int i = 0; i < 100; ++i) group.spawn([] { std::this_thread::yield(); });
      group.wait();
    });
  }
  EXPECT_GT(rt.stats().rounds, 0U);
  rt.reset_stats();
  EXPECT_EQ(rt.stats().requests.moved, 0U);
}

std::uint64_t sum(const std::vector<std::uint64_t>& of) {
  return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

// Worker 1 runs a task that waits for `go`, so its mail stays where it is.
struct busy_receiver {
  explicit busy_receiver(task_group& group) {
    group.spawn(
        [this] {
          runs = true;
          runs.notify_all();
          go.wait(false);
        },
        {.home = 1});
    runs.wait(false);
  }
  void let_go() {
    go = true;
    go.notify_all();
  }

  std::atomic<bool> runs{false};
  std::atomic<bool> go{false};
};

// Each worker runs one task, and ten tasks wait in the mailbox of worker 1: five of them move.
TEST(rounds, move_mail_that_its_receiver_has_not_taken) {
  runtime rt({.workers = 2, .balancer = "dem", .mode = balancer_mode::on_demand, .pin = false});
  const test::deadline deadline(rt);
  rt.run([&] {
    task_group group;
    busy_receiver receiver(group);
    for (int i = 0; i < 10; ++i) group.spawn([] {}, {.home = 1});
    rt.reset_stats();
    static_cast<void>(rt.balance());
    const statistics seen = rt.stats();
    EXPECT_EQ(sum(seen.moved_by_rounds), 5U);
    EXPECT_EQ(seen.tasks_moved, 5U) << "mail that goes back has not moved";
    receiver.let_go();
    group.wait();
  });
}

// Worker 0 waits and has nothing to run. So it has no load, and gets the only task that waits.
TEST(round_requests, of_a_worker_in_a_wait_count_no_load_for_it) {
  runtime rt({.workers = 2, .balancer = "oem", .pin = false, .threshold = never});
  const test::deadline deadline(rt);
  rt.run([&] {
    task_group group;
    busy_receiver receiver(group);
    rt.reset_stats();
    group.spawn([&] { receiver.let_go(); }, {.home = 1});
    group.wait();
  });
  const statistics seen = rt.stats();
  EXPECT_EQ(sum(seen.moved_by_rounds), 1U);
  EXPECT_EQ(sum(seen.moved_by_pulls), 0U);
}

TEST(round_requests, are_not_made_where_nothing_is_planned) {
  runtime rt({.workers = 2, .balancer = "random_stealing"});
  const test::deadline deadline(rt);
  std::atomic<int> ran{0};
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 100; ++i) group.spawn([&ran] { ++ran; });
    group.wait();
  });
  const request_statistics seen = rt.stats().requests;
  EXPECT_EQ(seen.moved + seen.nothing + seen.left_to_thread + seen.too_soon + seen.under_way +
                seen.not_asked,
            0U);
}

}  // namespace
}  // namespace evencube::round_requests_test
