// Groups of tasks over ranks that are threads of this process, with messages that arrive late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::on_ranks;
using test::small_ranks;

struct tile {
  int number = 0;
  std::uint32_t work = 1;
};

/// A type that is not contiguous in memory: cereal writes it.
struct report {
  std::string name;
  std::map<int, std::vector<std::string>> lines;
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(name, lines);
  }
};

class ranks_with : public testing::TestWithParam<unsigned> {};

TEST_P(ranks_with, give_every_result_to_the_rank_that_spawned_the_task) {
  for (const std::string balancer :
       {"oem", "dem", "lifelines", "none", "random_stealing", "rotate"}) {
    on_ranks(GetParam(), {.seed = 1, .most_delay = 3}, small_ranks(balancer), [&](cluster& world) {
      auto square = world.task<tile, std::vector<int>>(
          "square", [](const tile& t) { return std::vector<int>{t.number, t.number * t.number}; });
      cluster_group jobs(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 200; ++i) jobs.spawn(square, {i, 2}, {.cost = 2});
      }
      std::vector<int> seen(200);
      jobs.wait([&](const tile& t, std::vector<int>&& pixels) {
        EXPECT_EQ(pixels, (std::vector<int>{t.number, t.number * t.number}));
        ++seen[static_cast<std::size_t>(t.number)];
      });
      EXPECT_EQ(seen, std::vector<int>(200, world.rank() == 0 ? 1 : 0)) << balancer;
    });
  }
}

TEST_P(ranks_with, run_a_task_where_it_is_sent) {
  on_ranks(GetParam(), {.seed = 2, .most_delay = 5}, small_ranks("none"), [](cluster& world) {
    auto where = world.task<unsigned, unsigned>(
        "where", [](cluster_context& here, unsigned) { return here.rank(); });
    cluster_group jobs(world);
    for (unsigned to = 0; to < world.size(); ++to) jobs.spawn(where, to, {.rank = to});
    unsigned came = 0;
    jobs.wait([&](unsigned to, unsigned ran) {
      EXPECT_EQ(ran, to);
      ++came;
    });
    EXPECT_EQ(came, world.size());
  });
}

TEST_P(ranks_with, carry_what_cereal_writes) {
  on_ranks(GetParam(), {.seed = 3}, small_ranks(), [](cluster& world) {
    auto turn = world.task<std::tuple<std::string, int>, report>(
        "turn", [](const std::tuple<std::string, int>& from) {
          const auto& [name, line] = from;
          return report{name, {{line, {"a", name}}}};
        });
    cluster_group jobs(world);
    const unsigned next = (world.rank() + 1) % world.size();
    for (int i = 0; i < 20; ++i) jobs.spawn(turn, {"name " + std::to_string(i), i}, {.rank = next});
    int came = 0;
    jobs.wait([&](const std::tuple<std::string, int>& from, report&& to) {
      EXPECT_EQ(to.name, std::get<0>(from));
      EXPECT_EQ(to.lines.at(std::get<1>(from)), (std::vector<std::string>{"a", to.name}));
      ++came;
    });
    EXPECT_EQ(came, 20);
  });
}

TEST_P(ranks_with, end_a_group_only_when_tasks_of_tasks_have_ended) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::atomic<int> ran{0};
    on_ranks(
        GetParam(), {.seed = seed, .most_delay = 10}, small_ranks("oem", 2), [&](cluster& world) {
          // Each task spawns two tasks one level below, one of them on another rank.
          cluster_task<unsigned, void> tree;
          tree =
              world.task<unsigned, void>("tree", [&](cluster_context& here, const unsigned& depth) {
                ++ran;
                if (depth == 0) return;
                here.spawn(tree, depth - 1, {.rank = (here.rank() + depth) % here.size()});
                here.spawn(tree, depth - 1);
              });
          cluster_group jobs(world);
          if (world.rank() + 1 == world.size()) jobs.spawn(tree, 7U);
          jobs.wait();
          EXPECT_EQ(ran, 255);
          EXPECT_THROW(jobs.wait(), error);
          EXPECT_THROW(jobs.spawn(tree, 1U), error);
        });
    EXPECT_EQ(ran, 255) << "seed " << seed;
  }
}

TEST_P(ranks_with, make_one_group_after_another_and_several_at_once) {
  on_ranks(GetParam(), {.seed = 4, .most_delay = 4}, small_ranks(), [](cluster& world) {
    auto add = world.task<int, int>("add", [](int i) { return i + 1; });
    for (int round = 0; round < 20; ++round) {
      cluster_group first(world);
      cluster_group second(world);
      for (int i = 0; i < 10; ++i) {
        first.spawn(add, i);
        second.spawn(add, 100 + i);
      }
      int sum = 0;
      second.wait([&](int, int result) { sum += result; });
      EXPECT_EQ(sum, 10 * 101 + 45);
      sum = 0;
      first.wait([&](int, int result) { sum += result; });
      EXPECT_EQ(sum, 10 + 45);
    }
  });
}

TEST_P(ranks_with, let_takers_spawn) {
  on_ranks(GetParam(), {.seed = 5, .most_delay = 2}, small_ranks(), [](cluster& world) {
    auto less = world.task<int, int>("less", [](int i) { return i - 1; });
    cluster_group jobs(world);
    jobs.spawn(less, 20, {.rank = world.size() - 1});
    int came = 0;
    jobs.wait([&](int, int result) {
      ++came;
      if (result > 0)
        jobs.spawn(less, result, {.rank = static_cast<unsigned>(result) % world.size()});
    });
    EXPECT_EQ(came, 20);
  });
}

TEST_P(ranks_with, throw_the_same_remote_error_everywhere) {
  on_ranks(GetParam(), {.seed = 6, .most_delay = 3}, small_ranks("none"), [](cluster& world) {
    const unsigned last = world.size() - 1;
    auto fail = world.task<int, int>("fail", [](int i) {
      if (i == 7) throw std::runtime_error("disk full at " + std::to_string(i));
      return i;
    });
    for (int repeat = 0; repeat < 3; ++repeat) {
      cluster_group jobs(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 10; ++i) jobs.spawn(fail, i, {.rank = last});
      }
      int came = 0;
      try {
        jobs.wait([&](int, int) { ++came; });
        ADD_FAILURE() << "nothing was thrown on rank " << world.rank();
      } catch (const remote_error& problem) {
        EXPECT_EQ(problem.rank(), last);
        EXPECT_EQ(problem.task(), "fail");
        EXPECT_EQ(problem.text(), "disk full at 7");
        EXPECT_EQ(std::string(problem.what()),
                  "task \"fail\" on rank " + std::to_string(last) + ": disk full at 7");
      }
      EXPECT_EQ(came, world.rank() == 0 ? 9 : 0);
    }
  });
}

TEST_P(ranks_with, gather_what_each_of_them_gives) {
  on_ranks(GetParam(), {.seed = 7, .most_delay = 5}, small_ranks(), [](cluster& world) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto numbers = world.gather(100 * repeat + static_cast<int>(world.rank()));
      const auto texts = world.gather(std::string(world.rank(), 'x'));
      ASSERT_EQ(numbers.size(), world.size());
      ASSERT_EQ(texts.size(), world.size());
      for (unsigned k = 0; k < world.size(); ++k) {
        EXPECT_EQ(numbers[k], 100 * repeat + static_cast<int>(k));
        EXPECT_EQ(texts[k], std::string(k, 'x'));
      }
    }
    auto ask = world.task<int, void>("ask", [&](int) { static_cast<void>(world.gather(1)); });
    cluster_group jobs(world);
    if (world.rank() == 0) jobs.spawn(ask, 1);
    EXPECT_THROW(jobs.wait(), remote_error);
  });
}

// All ranks refuse, whichever rank gives too much, although the messages of single steps would fit.
TEST_P(ranks_with, refuse_to_gather_what_does_not_fit_into_a_message) {
  const unsigned ranks = GetParam();
  const local_network::options small{.seed = 8, .most_delay = 3, .most_bytes = 4096};
  const auto sizes_of = [&](std::size_t others, std::size_t last) {
    std::vector<std::size_t> sizes(ranks, others);
    sizes.back() = last;
    return sizes;
  };
  on_ranks(ranks, small, small_ranks(), [&](cluster& world) {
    // Bytes of the message, of each rank in it, and of the length of its string.
    const std::size_t most = 4096 - 22 - ranks * (12 + 8);
    const std::size_t part = most / ranks;
    for (const auto& sizes :
         {sizes_of(part, most - (ranks - 1) * part), sizes_of(part, most - (ranks - 1) * part + 1),
          sizes_of(0, most), sizes_of(0, 5000), sizes_of(5000, 5000), sizes_of(0, 0)}) {
      std::size_t sum = 0;
      for (const std::size_t each : sizes) sum += each;
      try {
        const auto all = world.gather(std::string(sizes[world.rank()], 'x'));
        EXPECT_TRUE(ranks == 1 || sum <= most);
        for (unsigned k = 0; k < ranks; ++k) EXPECT_EQ(all[k].size(), sizes[k]);
      } catch (const std::length_error& problem) {
        EXPECT_TRUE(ranks > 1 && sum > most);
        EXPECT_EQ(std::string(problem.what()),
                  "cluster: what the ranks give in a collective call takes " +
                      std::to_string(sum - most + 4096) +
                      " bytes together, and a message can have 4096 of them");
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, ranks_with, testing::Values(1U, 2U, 3U, 5U, 8U, 16U));

TEST(cluster, tells_what_ranks_registered_differently) {
  const auto said = [](const std::function<void(cluster&)>& odd) {
    const auto thrown = test::try_on_ranks(3, {}, small_ranks(), [&](cluster& world) {
      if (world.rank() == 1) {
        odd(world);
      } else {
        static_cast<void>(world.task<int, int>("render", [](int i) { return i; }));
      }
      const cluster_group jobs(world);
    });
    EXPECT_EQ(test::text_of(thrown[0]), test::text_of(thrown[1]));
    EXPECT_EQ(test::text_of(thrown[0]), test::text_of(thrown[2]));
    return test::text_of(thrown[0]);
  };
  EXPECT_EQ(said([](cluster& world) {
              static_cast<void>(world.task<int, int>("shade", [](int i) { return i; }));
            }),
            "cluster: the ranks differ in task 0 of those registered: rank 1 has \"shade\", rank 0 "
            "has \"render\"");
  EXPECT_EQ(said([](cluster&) {}),
            "cluster: the ranks differ in task 0 of those registered: rank 1 has nothing, rank 0 "
            "has \"render\"");
  EXPECT_EQ(
      said([](cluster& world) {
        static_cast<void>(world.task<int, long>("render", [](int i) { return long{i}; }));
      }),
      "cluster: the ranks differ in the types of task \"render\": rank 1 has i (4 bytes) -> l "
      "(8 bytes), rank 0 has i (4 bytes) -> i (4 bytes)");
}

TEST(cluster, tells_what_options_differ) {
  const auto said = [](const std::function<void(cluster_options&)>& odd) {
    const test::rank_deadline deadline("options that differ");
    local_network between(2);
    std::vector<std::string> thrown(2);
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < 2; ++k) {
      threads.emplace_back([&, k] {
        cluster_options options = small_ranks();
        if (k == 1) odd(options);
        try {
          cluster world(between.at(k), options);
          const cluster_group jobs(world);
        } catch (const error& problem) {
          thrown[k] = problem.what();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(thrown[0], thrown[1]);
    return thrown[0];
  };
  EXPECT_EQ(
      said([](auto& o) { o.balancer = "dem"; }),
      "cluster: the ranks differ in cluster_options::balancer: rank 1 has \"dem\", rank 0 has "
      "\"oem\"");
  EXPECT_EQ(
      said([](auto& o) { o.sharing = cluster_sharing::lifelines; }),
      "cluster: the ranks differ in cluster_options::sharing: rank 1 has \"lifelines\", rank 0 has "
      "\"rounds\"");
  EXPECT_EQ(
      said([](auto& o) { o.transmission = "phased"; }),
      "cluster: the ranks differ in cluster_options::transmission: rank 1 has \"phased\", rank "
      "0 has \"direct\"");
  EXPECT_EQ(said([](auto& o) { o.balancer_options["order"] = "descending"; }),
            "cluster: the ranks differ in cluster_options::balancer_options: rank 1 has "
            "\"order=descending\", rank 0 has nothing");
}

TEST(cluster, ends_waits_for_a_rank_that_has_left) {
  const auto thrown = test::try_on_ranks(3, {}, small_ranks(), [](cluster& world) {
    auto nothing = world.task<int, void>("nothing", [](int) {});
    {
      cluster_group together(world);
      together.wait();
    }
    if (world.rank() == 2) throw std::runtime_error("no file");
    cluster_group jobs(world);
    jobs.spawn(nothing, 1);
    jobs.wait();
  });
  EXPECT_EQ(test::text_of(thrown[2]), "no file");
  for (unsigned k = 0; k < 2; ++k) {
    EXPECT_NE(test::text_of(thrown[k]).find("in which rank 2 takes no part"), std::string::npos)
        << test::text_of(thrown[k]);
  }
}

// In every order of stop and spawns. The other ranks learn of the stop when the rank leaves.
TEST(cluster, ends_waits_where_a_runtime_has_been_stopped) {
  for (const int spawned_before : {0, 1, 40}) {
    for (const unsigned ranks : {1U, 3U}) {
      const auto thrown =
          test::try_on_ranks(ranks, {}, small_ranks("none", 2), [&](cluster& world) {
            auto last = world.task<int, int>("last", [&](int i) {
              while (!world.runtime().stopped()) std::this_thread::yield();
              return i;
            });
            cluster_group jobs(world);
            if (world.rank() + 1 == world.size()) {
              for (int i = 0; i < spawned_before; ++i) jobs.spawn(last, i);
              world.runtime().stop();
              try {
                jobs.spawn(last, 1);
                ADD_FAILURE();
              } catch (const error& problem) {
                EXPECT_EQ(std::string(problem.what()), "cluster: a task is spawned on rank " +
                                                           std::to_string(world.rank()) +
                                                           ", whose runtime has been stopped");
              }
            } else {
              jobs.spawn(last, 1, {.rank = world.size() - 1});
            }
            try {
              jobs.wait();
            } catch (const error& problem) {
              if (world.rank() + 1 == world.size()) {
                // The rank does not wait for other ranks, which wait for it.
                EXPECT_THROW(static_cast<void>(world.gather(1)), error);
                EXPECT_THROW(const cluster_hold held(world), error);
                EXPECT_THROW(cluster_group(world).wait(), error);
              }
              throw;
            }
          });
      const std::string stopped = std::to_string(ranks - 1);
      EXPECT_EQ(test::text_of(thrown[ranks - 1]),
                "cluster: rank " + stopped +
                    " waits for its group's tasks to end, and its runtime has been stopped");
      for (unsigned k = 0; k + 1 < ranks; ++k) {
        EXPECT_NE(test::text_of(thrown[k]).find("in which rank " + stopped + " takes no part"),
                  std::string::npos)
            << test::text_of(thrown[k]);
      }
    }
  }
}

// Waits and holds are refused even before the progress thread has seen the stop.
TEST(cluster, refuses_waits_and_holds_right_after_a_stop) {
  for (int round = 0; round < 50; ++round) {
    for (const bool holds : {false, true}) {
      const auto thrown = test::try_on_ranks(1, {}, small_ranks("none", 2), [&](cluster& world) {
        cluster_group jobs(world);
        world.runtime().stop();
        if (holds) {
          const cluster_hold held(world);
        } else {
          jobs.wait();
        }
      });
      EXPECT_THAT(test::text_of(thrown[0]), testing::HasSubstr("its runtime has been stopped"));
    }
  }
}

TEST(cluster, ends_a_wait_under_way_when_the_runtime_is_stopped) {
  std::atomic<int> began{0};
  std::atomic<int> ended{0};
  const auto thrown = test::try_on_ranks(1, {}, small_ranks("none", 2), [&](cluster& world) {
    auto last = world.task<int, void>("last", [&](int) {
      ++began;
      while (!world.runtime().stopped()) std::this_thread::yield();
      ++ended;
    });
    cluster_group jobs(world);
    for (int i = 0; i < 1000; ++i) jobs.spawn(last, i);
    std::thread stops([&] {
      while (began == 0) std::this_thread::yield();
      world.runtime().stop();
    });
    try {
      jobs.wait();
    } catch (...) {
      EXPECT_EQ(began, ended);  // tasks that had begun have run to their end
      stops.join();
      throw;
    }
    stops.join();
  });
  EXPECT_EQ(test::text_of(thrown[0]),
            "cluster: rank 0 waits for its group's tasks to end, and its runtime has been stopped");
  EXPECT_LT(began, 1000);
}

TEST(cluster, refuses_to_be_held_where_a_runtime_has_been_stopped) {
  const auto thrown = test::try_on_ranks(2, {}, small_ranks(), [](cluster& world) {
    if (world.rank() == 1) world.runtime().stop();
    EXPECT_EQ(world.gather(1).size(), 2U);  // gather() needs no workers
    const cluster_hold held(world);
  });
  EXPECT_EQ(test::text_of(thrown[1]),
            "cluster: rank 1 waits to be held, and its runtime has been stopped");
  EXPECT_NE(test::text_of(thrown[0]).find("in which rank 1 takes no part"), std::string::npos);
}

TEST(cluster, refuses_what_does_not_fit_into_a_message) {
  const local_network::options small{.seed = 0, .most_delay = 0, .most_bytes = 4096};
  on_ranks(2, small, small_ranks("none"), [](cluster& world) {
    auto grow = world.task<std::vector<char>, std::vector<char>>(
        "grow", [](const std::vector<char>& from) { return std::vector<char>(2 * from.size()); });
    {
      cluster_group jobs(world);
      if (world.rank() == 0) {
        try {
          jobs.spawn(grow, std::vector<char>(4000), {.rank = 1});
          ADD_FAILURE();
        } catch (const std::length_error& problem) {
          EXPECT_STREQ(problem.what(),
                       "an argument of task \"grow\" takes 4008 bytes or more, and a message to "
                       "rank 1 can have 3968 of them");
        }
        jobs.spawn(grow, std::vector<char>(10'000));  // this task stays here
        jobs.spawn(grow, std::vector<char>(1000), {.rank = 1});
      }
      std::size_t came = 0;
      jobs.wait([&](const std::vector<char>&, std::vector<char>&& to) { came += to.size(); });
      EXPECT_EQ(came, world.rank() == 0 ? 22'000U : 0U);
    }
    cluster_group jobs(world);
    if (world.rank() == 0) jobs.spawn(grow, std::vector<char>(3000), {.rank = 1});
    try {
      jobs.wait();
      ADD_FAILURE();
    } catch (const remote_error& problem) {
      EXPECT_EQ(problem.text(),
                "its result takes 6008 bytes or more, and a message can have 3968 of them");
    }
  });
}

TEST(cluster, refuses_what_its_options_do_not_allow) {
  const auto refused = [](const std::function<void(cluster_options&)>& change) {
    cluster_options options = small_ranks();
    change(options);
    return test::text_of(test::try_on_ranks(1, {}, options, [](cluster&) {})[0]);
  };
  EXPECT_NE(refused([](auto& o) { o.balancer = "oen"; }).find("\"oen\""), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.transmission = "pigeon"; }).find("pigeon"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.bytes_per_second = 0; }).find("bytes_per_second"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.result_seconds = -1; }).find("result_seconds"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.message_seconds = -1; }).find("message_seconds"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.quantum_seconds = -1; }).find("quantum_seconds"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) {
              o.balancer = "random_stealing", o.balancer_options["half"] = "1";
            }).find("half"),
            std::string::npos);
  on_ranks(2, {}, small_ranks(), [](cluster& world) {
    auto nothing = world.task<int, void>("nothing", [](int) {});
    EXPECT_THROW((world.task<int, void>("nothing", [](int) {})), std::invalid_argument);
    EXPECT_THROW((world.task<int, void>("", [](int) {})), std::invalid_argument);
    cluster_group jobs(world);
    EXPECT_THROW((world.task<int, void>("late", [](int) {})), error);
    EXPECT_THROW(jobs.spawn(nothing, 1, {.cost = 0}), std::invalid_argument);
    EXPECT_THROW(jobs.spawn(nothing, 1, {.rank = 2}), std::invalid_argument);
    EXPECT_THROW(jobs.spawn(cluster_task<int, void>(), 1), error);
    jobs.wait();
  });
}

TEST(cluster, drops_results_that_nobody_takes_and_throws_what_a_taker_throws) {
  on_ranks(2, {}, small_ranks(), [](cluster& world) {
    auto same = world.task<int, int>("same", [](int i) { return i; });
    static_cast<void>(world.task<std::string, int>("other", [](const std::string&) { return 0; }));
    cluster_group jobs(world);
    for (int i = 0; i < 10; ++i) jobs.spawn(same, i, {.rank = 1});
    int came = 0;
    EXPECT_THROW(jobs.wait([&](int, int) {
      if (++came == 3) throw std::out_of_range("enough");
    }),
                 std::out_of_range);
    EXPECT_EQ(came, 3);
    cluster_group others(world);
    others.spawn(same, 1);
    others.wait([](const std::string&, int&&) { ADD_FAILURE(); });
  });
}

// A worker that is busy with its task does not hold back the tasks that its task spawned.
TEST(workers_of_a_rank, take_what_tasks_of_others_spawn) {
  on_ranks(1, {}, small_ranks("oem", 2), [](cluster& world) {
    std::atomic<bool> ran{false};
    auto second = world.task<int, void>("second", [&](int) { ran = true; });
    auto first = world.task<int, void>("first", [&](cluster_context& here, int) {
      here.spawn(second, 1);
      while (!ran) std::this_thread::yield();
    });
    cluster_group jobs(world);
    jobs.spawn(first, 1);
    jobs.wait();
  });
}

// All results of a rank go in few messages, because the rank has work until the end and sends
// nothing else there.
TEST(results, wait_for_others_while_their_rank_has_work) {
  for (const double seconds : {0.0, 3600.0}) {
    cluster_options options = small_ranks("none");
    options.result_seconds = seconds;
    std::atomic<int> came{0};
    std::atomic<int> ran{0};
    on_ranks(2, {}, options, [&](cluster& world) {
      // If results go at once, a task runs when the results before it have arrived; otherwise when
      // all tasks have.
      auto slowly = world.task<int, int>("slowly", [&](int i) {
        const int before = ran++;
        while (seconds != 0 && world.stats().tasks_received < 20) std::this_thread::yield();
        while (seconds == 0 && came < before) std::this_thread::yield();
        return i;
      });
      cluster_group jobs(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 20; ++i) jobs.spawn(slowly, i, {.rank = 1});
      }
      jobs.wait([&](int, int&&) { ++came; });
      if (world.rank() == 0) return;
      if (seconds == 0) {
        EXPECT_GE(world.stats().result_messages, 10U);
      } else {
        EXPECT_LE(world.stats().result_messages, 10U);
      }
    });
    EXPECT_EQ(came, 20);
  }
}

// One message with the task, one with its result and the counts of its rank, and one that ends the
// group. There are more messages if the task ends before its rank waits for the group, so the test
// looks for one group among many.
TEST(termination, takes_one_message_where_counts_go_with_results) {
  const test::rank_deadline deadline("three messages");
  std::atomic<int> begun{-1};
  std::atomic<int> waits{-1};
  on_ranks(2, {}, small_ranks("none"), [&](cluster& world) {
    auto nothing = world.task<int, int>("nothing", [&](int i) {
      begun = i;
      // For a moment in which rank 0 may come to its wait.
      for (int k = 0; waits != i || k < 100; ++k) std::this_thread::yield();
      return 1;
    });
    const auto messages = [&] {
      const cluster_statistics now = world.stats();
      return now.task_messages + now.result_messages + now.termination_messages;
    };
    for (int i = 0;; ++i) {
      static_cast<void>(world.gather(0));
      const std::uint64_t before = messages();
      cluster_group jobs(world);
      if (world.rank() == 0) {
        jobs.spawn(nothing, i, {.rank = 1});
        while (begun != i) std::this_thread::yield();  // so the task travelled alone
        waits = i;
      }
      jobs.wait();
      static_cast<void>(world.gather(0));  // the messages that end the group have been sent
      const std::vector<std::uint64_t> all = world.gather(messages() - before);
      if (all[0] + all[1] == 3) break;
    }
  });
}

}  // namespace
}  // namespace evencube
