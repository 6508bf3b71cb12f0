// A cluster that cannot go on says so on all ranks: nobody waits for ever, and nobody takes a part
// for the whole.

#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <evencube/balancers/registry.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/long_allocations.hpp"
#include "support.hpp"

namespace evencube {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

/// Runs a program on `ranks` ranks, and returns what each threw.
std::vector<std::string> texts_of(unsigned ranks, const std::function<void(cluster&)>& program,
                                  const std::string& balancer = "oem") {
  std::vector<std::string> texts;
  for (const auto& each : test::try_on_ranks(ranks, {}, test::small_ranks(balancer), program)) {
    texts.push_back(test::text_of(each));
  }
  return texts;
}

std::atomic<bool> balancer_has_thrown{false};

/// Throws once there are loads: on all ranks, or in the first plan of one rank.
class throwing_balancer final : public balancer {
 public:
  explicit throwing_balancer(bool everywhere) : everywhere_(everywhere) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "throwing"; }
  void make_plan(const balance_request& asked, plan& out) const override {
    load_type sum = 0;
    for (const load_type each : asked.loads) sum += each;
    if (sum > 3 && (!balancer_has_thrown.exchange(true) || everywhere_)) throw std::bad_alloc();
    well_->make_plan(asked, out);
  }

 private:
  const std::unique_ptr<const balancer> well_ = make_balancer("oem");
  const bool everywhere_;
};

/// Throws no std::exception once there are loads.
class number_thrower final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "throws_a_number"; }
  void make_plan(const balance_request& asked, plan&) const override {
    for (const load_type each : asked.loads) {
      if (each > 0) throw 42;
    }
  }
};

void register_throwing(const std::string& name, bool everywhere) {
  balancer_descriptor made = describe_balancer("oem");
  made.name = name;
  made.make = [everywhere](const balancer_options&) -> std::unique_ptr<balancer> {
    return std::make_unique<throwing_balancer>(everywhere);
  };
  register_balancer(made);
}

TEST(failing_ranks, tell_that_a_balancer_threw) {
  for (const bool everywhere : {true, false}) {
    const std::string name = everywhere ? "throws_everywhere" : "throws_once";
    register_throwing(name, everywhere);
    balancer_has_thrown = false;
    const auto texts = texts_of(
        4,
        [](cluster& world) {
          auto last = world.task<int, int>("last", [](int i) {
            while (!balancer_has_thrown) std::this_thread::yield();
            return i;
          });
          cluster_group jobs(world);
          if (world.rank() == 0) {
            for (int i = 0; i < 400; ++i) jobs.spawn(last, i);
          }
          jobs.wait([](int, int&&) {});
          const cluster_hold still(world);
        },
        name);
    EXPECT_THAT(texts, Each(AllOf(HasSubstr("the balancer \"" + name + "\" threw in round"),
                                  HasSubstr("bad_alloc"))));
  }
}

/// Finds no memory for a long message.
class short_of_memory final : public test::forwarding_transport {
 public:
  using test::forwarding_transport::forwarding_transport;
  bool poll(message& into) override {
    if (!of().poll(into)) return false;
    if (into.bytes.size() > 10'000) throw std::bad_alloc();
    return true;
  }
};

TEST(failing_ranks, tell_that_one_has_no_memory_for_what_comes) {
  const test::rank_deadline deadline("no memory");
  local_network between(3);
  std::vector<std::string> texts(3, "nothing");
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 3; ++k) {
    threads.emplace_back([&, k] {
      try {
        cluster world(std::make_unique<short_of_memory>(between.at(k)), test::small_ranks("none"));
        auto length = world.task<std::string, std::size_t>(
            "length", [](const std::string& text) { return text.size(); });
        cluster_group jobs(world);
        if (k == 0) jobs.spawn(length, std::string(20'000, 'x'), {.rank = 2});
        jobs.wait();
        static_cast<void>(world.gather(1));
      } catch (const std::exception& problem) {
        texts[k] = problem.what();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_THAT(texts, Each(HasSubstr("bad_alloc")));
}

/// Can be copied byte by byte, and says itself what is to be sent.
struct saved_by_itself {
  int value = 0;
  int sent = 0;
  template <typename Archive>
  void save(Archive& to) const {
    to(value, 1);
  }
  template <typename Archive>
  void load(Archive& from) {
    from(value, sent);
  }
};

TEST(ranks, send_what_a_type_saves) {
  test::on_ranks(2, {}, test::small_ranks("none"), [](cluster& world) {
    auto copies = world.task<saved_by_itself, int>(
        "copies", [](const saved_by_itself& one) { return one.value + one.sent; });
    cluster_group jobs(world);
    if (world.rank() == 0) jobs.spawn(copies, saved_by_itself{41}, {.rank = 1});
    int result = 0;
    jobs.wait([&](const saved_by_itself&, int&& one) { result = one; });
    EXPECT_EQ(result, world.rank() == 0 ? 42 : 0);
  });
}

TEST(failing_ranks, make_no_group_after_they_have_registered_other_tasks) {
  std::atomic<int> refused{0};
  const auto texts = texts_of(2, [&](cluster& world) {
    const auto same = [](int i) { return i; };
    static_cast<void>(world.task<int, int>(world.rank() == 0 ? "double" : "negate", same));
    try {
      cluster_group first(world);
    } catch (const error&) {
      ++refused;
    }
    cluster_group second(world);
  });
  EXPECT_EQ(refused, 2);
  EXPECT_THAT(texts, Each(HasSubstr("the ranks differ in task 0")));
}

TEST(failing_ranks, take_no_part_of_a_group_for_the_whole) {
  for (const bool throws : {true, false}) {
    const auto texts = texts_of(3, [&](cluster& world) {
      auto same = world.task<int, int>("same", [](int i) { return i; });
      cluster_group jobs(world);
      for (int i = 0; i < 10; ++i) {
        jobs.spawn(same, i, {.rank = static_cast<unsigned>(i) % 3});
        if (i == 5 && world.rank() == 1) {
          if (throws) throw std::runtime_error("half of it");
          return;
        }
      }
      jobs.wait();
    });
    EXPECT_EQ(texts[1], throws ? "half of it" : "nothing");
    for (const unsigned other : {0U, 2U}) {
      EXPECT_THAT(texts[other], HasSubstr("in which rank 1 takes no part"));
    }
  }
}

TEST(failing_ranks, refuse_calls_after_they_have_left_a_group) {
  const auto texts = texts_of(2, [](cluster& world) {
    {
      const cluster_group left(world);
    }
    static_cast<void>(world.gather(1));
  });
  EXPECT_THAT(texts, Each(HasSubstr("has left a group without a wait for it")));
}

TEST(failing_ranks, name_collective_calls_that_differ) {
  const auto differ = [](const std::function<void(cluster&)>& on_rank_0,
                         const std::function<void(cluster&)>& on_others) {
    return texts_of(3, [&](cluster& world) {
      {
        cluster_group first(world);
        first.wait();
      }
      (world.rank() == 0 ? on_rank_0 : on_others)(world);
      static_cast<void>(world.gather(1));
    });
  };
  const auto gathers_int = [](cluster& world) { static_cast<void>(world.gather(1)); };
  const auto gathers_text = [](cluster& world) {
    static_cast<void>(world.gather(std::string("one")));
  };
  const auto waits = [](cluster& world) { cluster_group(world).wait(); };
  const auto waits_in_order = [](cluster& world) {
    cluster_group one(world), two(world);
    one.wait();
    two.wait();
  };
  const auto waits_in_reverse = [](cluster& world) {
    cluster_group one(world), two(world);
    two.wait();
    one.wait();
  };
  const auto holds = [](cluster& world) { const cluster_hold still(world); };
  EXPECT_THAT(differ(gathers_int, gathers_text),
              Each(AllOf(HasSubstr("cluster::gather of i (4 bytes)"),
                         HasSubstr("collective call 3"), HasSubstr("in the same order"))));
  EXPECT_THAT(differ(waits, gathers_int),
              Each(AllOf(HasSubstr("the wait for group 2"), HasSubstr("cluster::gather of i"))));
  EXPECT_THAT(differ(waits_in_order, waits_in_reverse),
              Each(AllOf(HasSubstr("the wait for group 2"), HasSubstr("the wait for group 3"))));
  EXPECT_THAT(differ(holds, gathers_int),
              Each(AllOf(HasSubstr("cluster_hold"), HasSubstr("cluster::gather of i"))));
}

TEST(failing_ranks, refuse_takers_that_no_task_calls) {
  const auto texts = texts_of(2, [](cluster& world) {
    auto half = world.task<int, double>("half", [](int i) { return i / 2.0; });
    cluster_group jobs(world);
    jobs.spawn(half, 1);
    jobs.wait([](int, double&&) {}, [](int, float&&) {});
  });
  EXPECT_THAT(texts, Each(HasSubstr("no registered task has the types of taker 2: i -> f")));
}

TEST(failing_ranks, refuse_tasks_of_another_cluster) {
  texts_of(1, [](cluster& world) {
    texts_of(1, [&](cluster& other) {
      auto theirs = other.task<int, int>("theirs", [](int i) { return i; });
      auto ours = world.task<int, int>("ours", [](int i) { return i; });
      cluster_group jobs(world);
      try {
        jobs.spawn(theirs, 1);
        ADD_FAILURE();
      } catch (const error& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("a task that another cluster has registered"));
      }
      jobs.spawn(ours, 1);
      jobs.wait();
    });
  });
}

TEST(failing_ranks, refuse_collective_calls_within_tasks) {
  std::atomic<int> refused{0};
  const auto texts = texts_of(2, [&](cluster& world) {
    auto calls = world.task<int, void>("calls", [&](int which) {
      try {
        if (which == 0) cluster_group(world).wait();
        if (which == 1) static_cast<void>(world.gather(1));
        if (which == 2) const cluster_hold still(world);
      } catch (const error& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("within a task"));
        ++refused;
        throw;
      }
    });
    for (int which = 1; which < 3; ++which) {
      cluster_group jobs(world);
      if (world.rank() == 0) jobs.spawn(calls, which, {.rank = 1});
      EXPECT_THROW(jobs.wait(), remote_error);
    }
    cluster_group jobs(world);  // the last one, because its task leaves a group
    // Every rank makes this group before the task makes one.
    static_cast<void>(world.gather(0));
    if (world.rank() == 0) jobs.spawn(calls, 0, {.rank = 1});
    jobs.wait();
  });
  EXPECT_EQ(refused, 3);
  EXPECT_THAT(texts, Each(HasSubstr("cluster_group::wait within a task")));
}

// A new engine often gets the address of one that has been destroyed.
TEST(failing_ranks, refuse_tasks_of_a_cluster_that_is_destroyed) {
  cluster_task<int, int> kept;
  for (int i = 0; i < 10; ++i) {
    const auto texts = texts_of(1, [&](cluster& world) {
      auto same = world.task<int, int>("same", [](int one) { return one; });
      cluster_group jobs(world);
      if (i > 0) {
        EXPECT_THROW(jobs.spawn(kept, 1), error);
      }
      jobs.spawn(same, 1);
      jobs.wait();
      kept = same;
    });
    EXPECT_THAT(texts, Each(std::string("nothing")));
  }
}

TEST(failing_ranks, tell_that_a_balancer_threw_a_number) {
  balancer_descriptor made = describe_balancer("oem");
  made.name = "throws_a_number";
  made.make = [](const balancer_options&) -> std::unique_ptr<balancer> {
    return std::make_unique<number_thrower>();
  };
  register_balancer(made);
  const auto texts = texts_of(
      3,
      [](cluster& world) {
        auto same = world.task<int, int>("same", [](int i) { return i; });
        cluster_group jobs(world);
        if (world.rank() == 0) jobs.spawn(same, 1);
        {
          cluster_hold still(world);
          static_cast<void>(still.balance());
        }
        jobs.wait();
      },
      "throws_a_number");
  EXPECT_THAT(texts, Each(HasSubstr("an exception that is no std::exception")));
}

thread_local bool runs_tasks = false;
std::atomic<bool> memory_is_short{false};

/// Keeps the results of many tasks until their list takes more memory than there is.
TEST(failing_ranks, tell_that_a_worker_has_no_memory_for_results) {
  if (!test::long_allocations::seen) GTEST_SKIP() << "a sanitizer has its own operator new";
  constexpr int many = 40'000;
  const test::rank_deadline deadline("no memory for results");
  memory_is_short = true;
  test::long_allocations::called = [] {
    if (runs_tasks && memory_is_short.exchange(false)) throw std::bad_alloc();
  };
  cluster_options options = test::small_ranks("none");
  options.result_seconds = 1000;
  options.window_bytes = std::uint64_t{1} << 40;
  local_network between(2);
  std::vector<std::string> texts(2, "nothing");
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 2; ++k) {
    threads.emplace_back([&, k] {
      try {
        cluster world(std::make_unique<test::forwarding_transport>(between.at(k)), options);
        auto same = world.task<int, int>("same", [&](int i) {
          while (world.stats().tasks_received < many) std::this_thread::yield();
          runs_tasks = true;
          return i;
        });
        cluster_group jobs(world);
        if (k == 0) {
          for (int i = 0; i < many; ++i) jobs.spawn(same, i, {.rank = 1});
        }
        jobs.wait();
      } catch (const std::exception& problem) {
        texts[k] = problem.what();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  test::long_allocations::called = nullptr;
  EXPECT_FALSE(memory_is_short);
  EXPECT_THAT(texts, Each(HasSubstr("bad_alloc")));
}

}  // namespace
}  // namespace evencube
