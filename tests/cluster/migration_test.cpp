// What balancing does to tasks that are dear, large or on their way: none is lost, and none moves
// that had better stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <exception>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"
#include "outbox.hpp"
#include "wire.hpp"

namespace evencube {
namespace {

using test::on_ranks;
using test::small_ranks;

// Tasks that are dearer than what is left of a transfer stay; none is lost.
TEST(held_ranks, keep_dear_tasks_that_do_not_fit) {
  on_ranks(2, {}, small_ranks("oem"), [](cluster& world) {
    auto nothing = world.task<int, void>("nothing", [](int) {});
    cluster_group jobs(world);
    {
      cluster_hold still(world);
      if (world.rank() == 0) {
        for (const std::uint32_t cost : {7U, 2U, 9U, 2U}) jobs.spawn(nothing, 1, {.cost = cost});
      }
      ASSERT_EQ(still.loads(), (std::vector<load_type>{20, 0}));
      static_cast<void>(still.balance());
      // Half is 10: of the oldest first 7 and 2 fit, 9 and the other 2 do not.
      ASSERT_EQ(still.loads(), (std::vector<load_type>{11, 9}));
    }
    jobs.wait();
  });
}

TEST(held_ranks, keep_tasks_that_are_not_worth_their_way) {
  cluster_options options = small_ranks("oem");
  options.bytes_per_second = 1;  // a byte takes longer than any task of this test
  std::vector<std::atomic<bool>> has_run(2);
  on_ranks(2, {}, options, [&](cluster& world) {
    auto sum = world.task<std::vector<int>, void>("sum", [](const std::vector<int>&) {});
    // What is not known yet moves; until each rank has run one of its own, however often that is
    // elsewhere. Holds, for all ranks are to see the same.
    for (bool all = false; !all;) {
      cluster_group first(world);
      first.spawn(sum, std::vector<int>(1));
      first.wait();
      has_run[world.rank()] = world.stats().executed > 0;
      const cluster_hold still(world);
      all = has_run[0] && has_run[1];
    }
    cluster_group jobs(world);
    {
      cluster_hold still(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 10; ++i) jobs.spawn(sum, std::vector<int>(1000));
      }
      const cluster_statistics before = world.stats();
      static_cast<void>(still.balance());
      const cluster_statistics after = world.stats();
      ASSERT_EQ(still.loads(), (std::vector<load_type>{10, 0}));
      EXPECT_EQ(after.tasks_sent, before.tasks_sent);
      EXPECT_EQ(after.tasks_too_large_to_move - before.tasks_too_large_to_move,
                world.rank() == 0 ? 5U : 0U);
    }
    jobs.wait();
  });
}

// What has to come back counts as what goes.
TEST(held_ranks, keep_tasks_whose_results_are_not_worth_their_way) {
  cluster_options options = small_ranks("oem");
  options.bytes_per_second = 1000;
  std::atomic<bool> one_stayed{false};
  std::atomic<bool> one_went{false};
  on_ranks(2, {}, options, [&](cluster& world) {
    // A byte goes in a millisecond, which is less than it takes to run, and its result in 1000 s.
    auto grow = world.task<char, std::vector<char>>("grow", [&](cluster_context& here, char) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
      while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
      (here.rank() == 0 ? one_stayed : one_went) = true;
      return std::vector<char>(1'000'000);
    });
    // Rank 0 knows how long one takes and how large its result is when one has run there and
    // another's result has come. Holds, for all ranks are to see the same.
    for (bool known = false; !known;) {
      cluster_group first(world);
      if (world.rank() == 0) {
        first.spawn(grow, 'a');
        first.spawn(grow, 'a', {.rank = 1});
      }
      first.wait();
      const cluster_hold still(world);
      known = one_stayed && one_went;
    }
    cluster_group jobs(world);
    {
      cluster_hold still(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 4; ++i) jobs.spawn(grow, 'a');
      }
      static_cast<void>(still.balance());
      EXPECT_EQ(still.loads(), (std::vector<load_type>{4, 0}));
    }
    jobs.wait();
  });
}

TEST(held_ranks, count_tasks_without_a_cost_by_what_they_took) {
  cluster_options options = small_ranks("none");
  options.quantum_seconds = 1e-3;
  on_ranks(2, {}, options, [&](cluster& world) {
    auto spin = world.task<int, void>("spin", [](int milliseconds) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
      while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
    const auto load_of_one = [&](const cluster_spawn_options& how) {
      cluster_group jobs(world);
      load_type load = 0;
      {
        cluster_hold still(world);
        jobs.spawn(spin, 5, how);
        load = still.loads()[world.rank()];
      }
      jobs.wait();
      return load;
    };
    EXPECT_EQ(load_of_one({}), 1);  // not known yet
    EXPECT_GE(load_of_one({}), 5);
    EXPECT_EQ(load_of_one({.cost = 3}), 3);
  });
}

/// A plan in which rank 0 passes on what rank 1 has given it, while it gets more from rank 2.
class passing_on final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "passing_on"; }
  void make_plan(const balance_request& request, plan& out) const override {
    reset_plan(out, 0);
    if (request.loads[1] < 10 || request.loads[2] < 30) return;
    reset_plan(out, 2);
    out.phases[0] = {{1, 0, 10}, {2, 0, 30}};
    out.phases[1] = {{0, 1, 5}};
  }
};

/// Of rank 0: nothing that rank 2 sends from its first tasks on is seen before rank 1 has got some.
class waiting_transport final : public test::forwarding_transport {
 public:
  waiting_transport(std::unique_ptr<transport> of, std::atomic<bool>& rank_1_has_some)
      : forwarding_transport(std::move(of)), rank_1_has_some_(rank_1_has_some) {}

  bool poll(message& into) override {
    if (rank_1_has_some_ && !kept_.empty()) {
      into = std::move(kept_.front());
      kept_.pop_front();
      return true;
    }
    while (poll_part(into)) {
      const bool tasks = into.bytes[0] == static_cast<std::byte>(detail::wire::tasks);
      if (rank() == 1 && tasks) rank_1_has_some_ = true;
      if (rank() != 0 || into.from != 2 || rank_1_has_some_ || (!tasks && kept_.empty())) {
        return true;
      }
      kept_.push_back(std::move(into));
    }
    return false;
  }

 private:
  // What came together is looked at in parts.
  bool poll_part(message& into) {
    while (parts_.empty()) {
      message whole;
      if (!of().poll(whole)) return false;
      detail::for_each_part(whole.bytes, [&](std::span<const std::byte> part) {
        parts_.push_back({whole.from, {part.begin(), part.end()}});
      });
    }
    into = std::move(parts_.front());
    parts_.pop_front();
    return true;
  }

  std::atomic<bool>& rank_1_has_some_;
  std::deque<message> parts_;
  std::deque<message> kept_;
};

// It comes to an end only if rank 0 does not wait for rank 2 before it sends.
TEST(held_ranks, send_what_they_have_while_more_is_to_come) {
  register_balancer(
      {.name = "passing_on",
       .summary = "of this test",
       .source = "this test",
       .information = "all loads",
       .make = [](const balancer_options&) { return std::make_unique<passing_on>(); }});
  for (const std::string transmission : {"overlapped", "pipelined"}) {
    const test::rank_deadline deadline("overlapping sends, " + transmission);
    cluster_options options = small_ranks("passing_on");
    options.transmission = transmission;
    local_network between(4);
    std::atomic<bool> rank_1_has_some{false};
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < 4; ++k) {
      threads.emplace_back([&, k] {
        cluster world(std::make_unique<waiting_transport>(between.at(k), rank_1_has_some), options);
        auto nothing = world.task<int, void>("nothing", [](int) {});
        cluster_group jobs(world);
        {
          cluster_hold still(world);
          const std::vector<load_type> loads{0, 10, 30, 0};
          for (load_type i = 0; i < loads[k]; ++i) jobs.spawn(nothing, 1);
          EXPECT_EQ(still.balance().loads, loads);
          EXPECT_EQ(still.loads(), (std::vector<load_type>{35, 5, 0, 0}));
        }
        jobs.wait();
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_TRUE(rank_1_has_some);
  }
}

// Programs drawn at random: trees of tasks that begin and are sent anywhere, of any cost, while
// ranks balance. Every task runs once and its result comes home once.
TEST(moving_ranks, run_every_task_of_random_programs_once) {
  const std::vector<std::string> balancers{"oem",       "dem",       "cwa",
                                           "lifelines", "none",      "random_stealing",
                                           "rotate",    "lifelines", "receiver_initiated"};
  for (const unsigned ranks : {1U, 2U, 3U, 5U, 8U, 16U}) {
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      struct node {
        std::uint32_t id = 0;
        std::uint32_t depth = 0;
        std::uint64_t seed = 0;
      };
      std::vector<std::atomic<int>> ran(1 << 16);
      std::vector<std::atomic<int>> came(1 << 16);
      std::atomic<std::uint32_t> ids{0};
      cluster_options options =
          small_ranks(balancers[seed % balancers.size()], 1 + static_cast<unsigned>(seed % 2));
      options.transmission = seed % 3 == 0 ? "phased" : "direct";
      on_ranks(ranks, {.seed = seed, .most_delay = static_cast<unsigned>(seed) * 3}, options,
               [&](cluster& world) {
                 cluster_task<node, std::uint32_t> visit;
                 visit = world.task<node, std::uint32_t>(
                     "visit", [&](cluster_context& here, const node& at) {
                       ++ran[at.id];
                       std::mt19937_64 random(at.seed);
                       const auto children = at.depth == 0 ? 0 : random() % 4;
                       for (std::uint64_t c = 0; c < children; ++c) {
                         cluster_spawn_options how;
                         how.cost = 1 + static_cast<std::uint32_t>(random() % 5);
                         if (random() % 4 == 0) {
                           how.rank = static_cast<unsigned>(random() % here.size());
                         }
                         here.spawn(visit, {ids++, at.depth - 1, random()}, how);
                       }
                       return at.id;
                     });
                 for (int groups = 0; groups < 3; ++groups) {
                   cluster_group jobs(world);
                   std::mt19937_64 random(seed * 100 + world.rank() +
                                          static_cast<unsigned>(groups) * 17);
                   for (auto roots = random() % 3; roots > 0; --roots) {
                     jobs.spawn(visit, {ids++, 6, random()});
                   }
                   jobs.wait([&](const node& at, std::uint32_t result) {
                     EXPECT_EQ(at.id, result);
                     ++came[result];
                   });
                 }
               });
      ASSERT_LT(ids, ran.size());
      for (std::uint32_t id = 0; id < ran.size(); ++id) {
        ASSERT_EQ(ran[id], id < ids ? 1 : 0) << ranks << " ranks, seed " << seed << ", task " << id;
        ASSERT_EQ(came[id], id < ids ? 1 : 0) << ranks << " ranks, seed " << seed;
      }
    }
  }
}

// The fewest tasks that any of a few runs sent. On a busy machine a worker may begin its task too
// late. If one run sends no more than `enough`, others are not needed.
template <typename Run>
std::uint64_t fewest_sent(std::uint64_t enough, const Run& run) {
  std::uint64_t fewest = run();
  for (int again = 1; again < 5 && fewest > enough; ++again) fewest = std::min(fewest, run());
  return fewest;
}

// A rank that is busy too gets half of several tasks, and no last one, which it would give back.
TEST(moving_ranks, keep_tasks_that_all_workers_are_too_busy_for) {
  constexpr int tasks = 7;
  constexpr std::uint64_t enough = 3 * tasks;
  for (const unsigned ranks : {2U, 3U, 4U}) {
    const auto run = [ranks] {
      std::atomic<std::uint64_t> sent{0};
      on_ranks(ranks, {.seed = ranks}, small_ranks("lifelines"), [&](cluster& world) {
        auto rest = world.task<int, void>(
            "rest", [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(40)); });
        cluster_group jobs(world);
        if (world.rank() == 0) {
          for (int i = 0; i < tasks; ++i) jobs.spawn(rest, i);
        }
        jobs.wait();
        sent += world.stats().tasks_sent;
      });
      return sent.load();
    };
    EXPECT_LE(fewest_sent(enough, run), enough) << ranks << " ranks";
  }
}

// Ranks without work are owed tasks. The worker of the rank that gets one has time to begin it.
TEST(moving_ranks, keep_a_task_that_their_own_worker_is_about_to_take) {
  constexpr int tasks = 50;
  const auto run = [] {
    std::atomic<std::uint64_t> sent{0};
    on_ranks(4, {.seed = 2}, small_ranks("lifelines"), [&](cluster& world) {
      auto one = world.task<int, void>("one", [](int) {});
      cluster_group jobs(world);
      if (world.rank() == 0) {
        for (int i = 0; i < tasks; ++i) {
          // Longer than the rank keeps its last tasks for its own worker.
          std::this_thread::sleep_for(std::chrono::milliseconds(3));
          jobs.spawn(one, i, {.rank = 1});
        }
      }
      jobs.wait();
      sent += world.stats().tasks_sent;
    });
    return sent.load();
  };
  // Each is sent once by the spawn.
  constexpr std::uint64_t enough = tasks + tasks / 2;
  EXPECT_LE(fewest_sent(enough, run), enough);
}

// Nothing runs there any more, so nothing moves.
TEST(moving_ranks, are_silent_when_their_runtimes_are_stopped) {
  std::barrier<> all(2);
  const auto thrown = test::try_on_ranks(2, {}, small_ranks("lifelines"), [&](cluster& world) {
    std::atomic<bool> began{false};
    auto last = world.task<int, void>("last", [&](int) {
      began = true;
      while (!world.runtime().stopped()) std::this_thread::yield();
    });
    cluster_group jobs(world);
    if (world.rank() == 0) {
      for (int i = 0; i < 3; ++i) jobs.spawn(last, i);
    }
    while (!began) std::this_thread::yield();
    all.arrive_and_wait();
    world.runtime().stop();
    all.arrive_and_wait();
    const std::uint64_t before = world.stats().messages_sent;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_LE(world.stats().messages_sent - before, 20U);
    all.arrive_and_wait();
    try {
      jobs.wait();
    } catch (...) {
      // The rank that is first takes its cluster down, and the other would report that instead.
      all.arrive_and_wait();
      throw;
    }
  });
  for (const std::exception_ptr& each : thrown) {
    EXPECT_THAT(test::text_of(each), testing::HasSubstr("its runtime has been stopped"));
  }
}

// Tasks that wait for others on other ranks to begin: they end only if work moves.
TEST(moving_ranks, get_work_while_another_rank_has_more) {
  for (const std::string balancer : {"oem", "lifelines", "random_stealing"}) {
    std::atomic<int> begun{0};
    on_ranks(4, {.seed = 9, .most_delay = 2}, small_ranks(balancer), [&](cluster& world) {
      auto meet = world.task<int, unsigned>("meet", [&](cluster_context& here, int) {
        ++begun;
        while (begun < 4) std::this_thread::yield();
        return here.rank();
      });
      cluster_group jobs(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 4; ++i) jobs.spawn(meet, i);
      }
      unsigned ranks = 0;
      jobs.wait([&](int, unsigned ran) { ranks |= 1U << ran; });
      if (world.rank() == 0) {
        EXPECT_EQ(ranks, 15U) << balancer;
      }
    });
  }
}

}  // namespace
}  // namespace evencube
