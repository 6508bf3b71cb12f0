// Objects that live on ranks, over ranks that are threads of this process.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/cluster/bound.hpp>
#include <evencube/cluster/objects.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/this_task.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::fresh_path;
using test::on_ranks;
using test::small_ranks;

/// An object with memory of its own, which cannot be copied.
struct counter {
  counter() = default;
  explicit counter(int n) : seen(std::make_unique<std::vector<int>>(1, n)) {}

  std::unique_ptr<std::vector<int>> seen = std::make_unique<std::vector<int>>();

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(*seen);
  }
};

class objects_over_ranks : public testing::TestWithParam<unsigned> {};

TEST_P(objects_over_ranks, run_their_tasks_where_they_live) {
  on_ranks(GetParam(), {.seed = 1, .most_delay = 5}, small_ranks("oem", 2), [](cluster& world) {
    cluster_objects<counter> counters(world, "counters");
    auto add = counters.task<int, std::size_t>("add", [](counter& c, int n) {
      c.seen->push_back(n);
      return c.seen->size();
    });
    auto sum = counters.shared_task<int, int>("sum", [](const counter& c, int) {
      int all = 0;
      for (const int n : *c.seen) all += n;
      return all;
    });
    for (int i = 0; i < 3; ++i) counters.make(counter(i));
    counters.share();
    for (unsigned round = 0; round < 3; ++round) {
      cluster_group jobs(world);
      for (unsigned rank = 0; rank < world.size(); ++rank) {
        for (unsigned i = 0; i < 3; ++i) {
          counters.spawn(jobs, add, {rank, i}, static_cast<int>(100 * round + world.rank()));
        }
      }
      unsigned came = 0;
      jobs.wait([&](const cluster_object_call<int>&, std::size_t&&) { ++came; });
      EXPECT_EQ(came, 3 * world.size());
      // Each object to the next rank, and one of them alone to the one after it.
      std::vector<std::pair<cluster_object_id, unsigned>> moves;
      counters.for_each([&](cluster_object_id id, counter&) {
        moves.emplace_back(id, (world.rank() + 1 + (id.number == 0 ? 1 : 0)) % world.size());
      });
      counters.move(moves);
      EXPECT_EQ(counters.rank_of({0, 1}), (round + 1) % world.size());
      EXPECT_EQ(counters.rank_of({0, 0}), 2 * (round + 1) % world.size());
    }
    cluster_group jobs(world);
    for (unsigned i = 0; i < 3; ++i) counters.spawn(jobs, sum, {world.rank(), i}, 0);
    const int ranks = static_cast<int>(world.size());
    jobs.wait([&](const cluster_object_call<int>& call, int&& found) {
      EXPECT_EQ(found,
                static_cast<int>(call.object.number) + 300 * ranks + 3 * ranks * (ranks - 1) / 2);
    });
  });
}

TEST_P(objects_over_ranks, run_one_task_of_an_object_at_a_time) {
  on_ranks(GetParam(), {.seed = 2}, small_ranks("none", 3), [](cluster& world) {
    cluster_objects<int> numbers(world, "numbers");
    std::atomic<int> inside{0};
    std::atomic<int> readers{0};
    std::atomic<bool> met{false};
    auto add = numbers.task<int, void>("add", [&](int& value, int n) {
      EXPECT_EQ(inside.fetch_add(1), 0);
      EXPECT_EQ(readers, 0);
      value += n;
      std::this_thread::yield();
      inside.fetch_sub(1);
    });
    // With `waits`, until another one reads, too.
    auto read = numbers.shared_task<bool, void>("read", [&](const int&, bool waits) {
      EXPECT_EQ(inside, 0);
      if (readers.fetch_add(1) > 0) met = true;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
      while (waits && !met && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      readers.fetch_sub(1);
    });
    const cluster_object_id own = numbers.make(0);
    numbers.share();
    cluster_group jobs(world);
    for (int i = 1; i <= 200; ++i) {
      if (i % 2 == 0) {
        numbers.spawn(jobs, read, own, false);
      } else {
        numbers.spawn(jobs, add, own, i);
      }
    }
    jobs.wait();
    numbers.for_each([](cluster_object_id, int& value) { EXPECT_EQ(value, 10'000); });
    met = false;
    cluster_group two(world);
    for (int i = 0; i < 2; ++i) numbers.spawn(two, read, own, true);
    two.wait();
    EXPECT_TRUE(met);
  });
}

TEST_P(objects_over_ranks, have_the_planned_loads_if_all_have_the_same) {
  for (const balancer_descriptor& each : registered_balancers()) {
    if (each.guarantees.supports && !each.guarantees.supports(topology::cube(GetParam()))) continue;
    on_ranks(GetParam(), {.seed = 3}, small_ranks("none"), [&](cluster& world) {
      cluster_objects<int> numbers(world, "numbers");
      for (unsigned i = 0; i < (world.rank() % 3) * 20 + 1; ++i) numbers.make(static_cast<int>(i));
      const cluster_object_round done = numbers.balance_by([](const int&) { return 1; }, each.name);
      EXPECT_EQ(done.loads_after, final_loads(done.planned, done.loads_before)) << each.name;
      load_type here = 0;
      numbers.for_each([&](cluster_object_id id, int& value) {
        ++here;
        EXPECT_EQ(value, static_cast<int>(id.number));
        EXPECT_EQ(numbers.rank_of(id), world.rank());
      });
      EXPECT_EQ(here, done.loads_after[world.rank()]) << each.name;
      EXPECT_EQ(world.gather(here), done.loads_after);
    });
  }
}

TEST_P(objects_over_ranks, are_within_one_object_of_the_planned_loads) {
  std::mt19937 random(4);
  for (int run = 0; run < 30; ++run) {
    const auto seed = random();
    on_ranks(GetParam(), {.seed = seed}, small_ranks("none"), [&](cluster& world) {
      std::mt19937 own(seed + world.rank());
      cluster_objects<load_type> loads(world, "loads");
      for (auto n = own() % 40; n > 0; --n) {
        loads.make(1 + static_cast<load_type>(own() % (own() % 5 == 0 ? 1000 : 10)));
      }
      const auto done = loads.balance_by([](const load_type& load) { return load; });
      const std::vector<load_type> planned = final_loads(done.planned, done.loads_before);
      load_type largest = 1;
      loads.for_each([&](cluster_object_id, load_type& l) { largest = std::max(largest, l); });
      for (const load_type each : world.gather(largest)) largest = std::max(largest, each);
      for (unsigned k = 0; k < world.size(); ++k) {
        EXPECT_LT(std::abs(done.loads_after[k] - planned[k]), largest) << "seed " << seed;
      }
    });
  }
}

TEST_P(objects_over_ranks, move_with_the_time_of_their_tasks) {
  on_ranks(GetParam(), {.seed = 5}, small_ranks("none"), [](cluster& world) {
    cluster_objects<int> blocks(world, "blocks");
    auto work = blocks.task<int, void>("work", [](int& ran, int microseconds) {
      ++ran;
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
    if (world.rank() == 0) {
      for (int i = 0; i < 16; ++i) blocks.make(0);
    }
    blocks.share();
    for (int round = 0; round < 2; ++round) {
      cluster_group jobs(world);
      blocks.for_each([&](cluster_object_id id, int&) { blocks.spawn(jobs, work, id, 500); });
      jobs.wait();
      const cluster_object_round done = blocks.balance();
      if (round == 0) {
        EXPECT_GE(done.loads_before[0], 65536) << "the load of the longest tasks";
      }
      const auto most = std::max_element(done.loads_after.begin(), done.loads_after.end());
      const load_type all = total_load(done.loads_after);
      EXPECT_LE(*most, all / world.size() + 2 * 65536);
    }
  });
}

// The first tasks of a rank that is ahead run on ranks that have not returned from the call.
TEST_P(objects_over_ranks, are_found_by_tasks_of_the_fastest_rank) {
  const std::string path = fresh_path("fastest");
  for (unsigned seed = 0; seed < 6; ++seed) {
    const bool loads = seed % 2 == 1;
    on_ranks(GetParam(), {.seed = seed, .most_delay = 5}, small_ranks("none"), [&](cluster& world) {
      cluster_objects<int> numbers(world, "numbers");
      cluster_object_task<int, int, void> pass;
      pass = numbers.task<int, void>("pass", [&](cluster_context& here, int& value, int left) {
        ++value;
        const cluster_object_id next{static_cast<unsigned>(left) % world.size(),
                                     static_cast<unsigned>(left) % 4};
        if (left > 0) numbers.spawn(here, pass, next, left - 1);
      });
      if (loads) {
        ASSERT_TRUE(numbers.load(path));
      } else {
        for (int i = 0; i < 4; ++i) numbers.make(0);
        numbers.share();
        numbers.save(path);
      }
      int expected = 0;
      for (unsigned round = 0; round < 4; ++round) {
        cluster_group jobs(world);
        if (world.rank() == round % world.size()) numbers.spawn(jobs, pass, {0, 0}, 15);
        jobs.wait();
        expected += 16;
        std::vector<std::pair<cluster_object_id, unsigned>> moves;
        numbers.for_each([&](cluster_object_id id, int&) {
          moves.emplace_back(id, (world.rank() + 1 + round) % world.size());
        });
        numbers.move(moves);
      }
      int sum = 0;
      numbers.for_each([&](cluster_object_id, int& value) { sum += value; });
      int all = 0;
      for (const int each : world.gather(sum)) all += each;
      EXPECT_EQ(all, expected);
    });
  }
}

/// An object that one rank cannot read.
struct fragile {
  int value = 0;
  static inline std::atomic<int> breaks{0};

  template <typename Archive>
  void save(Archive& archive) const {
    archive(value);
  }
  template <typename Archive>
  void load(Archive& archive) {
    if (breaks.fetch_sub(1) == 1) throw std::runtime_error("it broke");
    archive(value);
  }
};

TEST_P(objects_over_ranks, stay_if_one_of_them_does_not_come) {
  const unsigned ranks = GetParam();
  if (ranks == 1) return;
  fragile::breaks = 3;
  on_ranks(ranks, {.seed = 12, .most_delay = 3}, small_ranks("none"), [&](cluster& world) {
    cluster_objects<fragile> objects(world, "objects");
    for (int i = 0; i < 4; ++i) objects.make({i});
    objects.share();
    const auto onward = [&] {
      std::vector<std::pair<cluster_object_id, unsigned>> moves;
      objects.for_each([&](cluster_object_id id, fragile&) {
        moves.emplace_back(id, (world.rank() + 1) % world.size());
      });
      return moves;
    };
    EXPECT_THROW(objects.move(onward()), remote_error);
    unsigned here = 0;
    objects.for_each([&](cluster_object_id id, fragile& of) {
      ++here;
      EXPECT_EQ(id.maker, world.rank());
      EXPECT_EQ(of.value, static_cast<int>(id.number));
    });
    EXPECT_EQ(here, 4U);
    objects.move(onward());
    here = 0;
    objects.for_each([&](cluster_object_id id, fragile&) {
      ++here;
      EXPECT_EQ((id.maker + 1) % world.size(), world.rank());
    });
    EXPECT_EQ(here, 4U);
  });
}

// A loop within a task of an object, while other tasks wait for the object.
TEST_P(objects_over_ranks, may_run_loops_in_their_tasks) {
  for (const std::string balancer : {"oem", "none"}) {
    cluster_options options = small_ranks(balancer, 2);
    options.local.balancer = balancer;
    on_ranks(GetParam(), {.seed = 14}, options, [&](cluster& world) {
      cluster_objects<std::vector<int>> rows(world, "rows");
      auto add = rows.task<int, void>("add", [&](std::vector<int>& row, int n) {
        parallel_for(std::size_t{0}, row.size(), [&](std::size_t i) { row[i] += n; }, {.grain = 1});
      });
      const cluster_object_id own = rows.make(std::vector<int>(300, 0));
      rows.share();
      cluster_group jobs(world);
      for (int i = 0; i < 100; ++i) rows.spawn(jobs, add, own, 1);
      jobs.wait();
      rows.for_each([](cluster_object_id, std::vector<int>& row) {
        EXPECT_EQ(row, std::vector<int>(300, 100));
      });
    });
  }
}

// The other worker waits for the object while it has mail that only it would take, and for which
// the task that has the object waits.
TEST_P(objects_over_ranks, leave_nothing_with_a_worker_that_waits_for_one) {
  cluster_options options = small_ranks("none", 2);
  options.local.balancer = "none";
  on_ranks(GetParam(), {.seed = 16}, options, [&](cluster& world) {
    cluster_objects<int> numbers(world, "numbers");
    auto count = numbers.task<int, void>("count", [&](int& value, int) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{200};
      while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
      task_group group;
      group.spawn([&] { ++value; }, {.home = this_task::worker() == 0U ? 1U : 0U});
      group.wait();
    });
    const cluster_object_id own = numbers.make(0);
    numbers.share();
    cluster_group jobs(world);
    for (int i = 0; i < 50; ++i) numbers.spawn(jobs, count, own, 0);
    jobs.wait();
    numbers.for_each([](cluster_object_id, int& value) { EXPECT_EQ(value, 50); });
  });
}

TEST_P(objects_over_ranks, take_arguments_that_tasks_take) {
  struct pair {
    int a = 0;
    int b = 0;
  };
  on_ranks(GetParam(), {.seed = 15}, small_ranks("none"), [&](cluster& world) {
    cluster_objects<std::vector<pair>> lists(world, "lists");
    auto append = lists.task<std::vector<pair>, void>(
        "append", [](std::vector<pair>& list, const std::vector<pair>& more) {
          list.insert(list.end(), more.begin(), more.end());
        });
    cluster_bound longest(world, "longest", std::vector<pair>(),
                          [](const auto& a, const auto& b) { return a.size() > b.size(); });
    lists.make({});
    lists.share();
    cluster_group jobs(world);
    for (unsigned rank = 0; rank < world.size(); ++rank) {
      lists.spawn(jobs, append, {rank, 0}, {{1, 2}, {3, static_cast<int>(world.rank())}});
    }
    longest.improve(jobs, std::vector<pair>(world.rank() + 1));
    jobs.wait();
    lists.for_each([&](cluster_object_id, std::vector<pair>& list) {
      EXPECT_EQ(list.size(), 2 * world.size());
    });
    EXPECT_EQ(longest.get().size(), world.size());
  });
}

TEST_P(objects_over_ranks, refuse_what_cannot_be) {
  const std::string path = fresh_path("refused");
  on_ranks(GetParam(), {.seed = 8}, small_ranks("none"), [&](cluster& world) {
    cluster_objects<int> numbers(world, "numbers");
    cluster_objects<double> others(world, "others");
    cluster_objects<int> more(world, "more");
    auto add = numbers.task<int, void>("add", [](int&, int) {});
    const cluster_object_id own = numbers.make(1);
    numbers.share();
    {
      cluster_group jobs(world);
      EXPECT_THROW(numbers.spawn(jobs, add, {99, 0}, 1), std::invalid_argument);
      EXPECT_THROW(numbers.balance(), error) << "a group is open";
      jobs.wait();
    }
    EXPECT_THROW(numbers.move({{own, world.size()}}), std::invalid_argument);
    EXPECT_THROW(numbers.move({{own, 0}, {own, 0}}), std::invalid_argument) << "given twice";
    EXPECT_THROW(numbers.move({{{98, 1}, 0}}), std::invalid_argument);
    EXPECT_THROW(numbers.balance_by([](const int&) { return 0; }), std::invalid_argument);
    EXPECT_THROW(numbers.balance("nothing"), std::invalid_argument);
    const unsigned last = world.size() - 1;
    const auto throws = [&](const int&) -> load_type {
      if (world.rank() == last) throw 1;
      return 1;
    };
    EXPECT_THROW(numbers.balance_by(throws), error) << "on all ranks";
    cluster_object_task<int, int, void> none;
    {
      cluster_group jobs(world);
      EXPECT_THROW(numbers.spawn(jobs, none, own, 1), error);
      EXPECT_THROW(more.spawn(jobs, add, own, 1), error) << "a task of other objects";
      jobs.wait();
    }
    EXPECT_THROW(numbers.save("/nowhere/at/all"), error);
    numbers.save(path);
    EXPECT_THROW(others.load(path), error) << "objects of another type";
    EXPECT_THROW(more.load(path), error) << "objects of another name";
    EXPECT_THROW(more.save(path), error) << "over those of another name";
    EXPECT_THROW(numbers.save(testing::TempDir()), error) << "a folder";
    EXPECT_EQ(numbers.rank_of(own), world.rank());
  });
}

INSTANTIATE_TEST_SUITE_P(of, objects_over_ranks, testing::Values(1U, 2U, 3U, 5U, 8U, 16U));

// An object that fits into no message stays, on all ranks alike.
TEST(objects, that_are_too_long_to_move_stay) {
  on_ranks(2, {.seed = 9, .most_bytes = 8000}, small_ranks("none"), [](cluster& world) {
    cluster_objects<std::string> texts(world, "texts");
    const cluster_object_id longer = texts.make(std::string(10'000, 'x'));
    const cluster_object_id shorter = texts.make("short");
    const unsigned other = 1 - world.rank();
    EXPECT_THROW(texts.move({{shorter, other}, {longer, other}}), std::length_error);
    EXPECT_EQ(texts.rank_of(shorter), world.rank());
    texts.move({{shorter, other}});
    EXPECT_EQ(texts.rank_of(shorter), other);
    EXPECT_EQ(texts.rank_of(longer), world.rank());
    // Around the longest one.
    texts.remove(longer);
    bool refused = false;
    for (std::size_t length = 7780; length < 7900; ++length) {
      const cluster_object_id made = texts.make(std::string(length, 'x'));
      texts.share();
      try {
        texts.move({{made, other}});
        EXPECT_FALSE(refused) << length;
        EXPECT_EQ(texts.rank_of(made), other);
      } catch (const std::length_error&) {
        refused = true;
        EXPECT_EQ(texts.rank_of(made), world.rank());
      }
    }
    EXPECT_TRUE(refused);
  });
}

}  // namespace
}  // namespace evencube
