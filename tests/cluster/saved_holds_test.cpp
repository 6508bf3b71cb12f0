// Clusters that continue from a checkpoint of a hold (Q in cluster/docs/ranks.md), over ranks that
// are threads of this process. random_ranks_test.cpp does so in random programs, and
// checkpoint_test.py kills the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <evencube/cluster/bound.hpp>
#include <evencube/cluster/objects.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
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
using testing::HasSubstr;

load_type sum_of(const std::vector<load_type>& loads) {
  return std::accumulate(loads.begin(), loads.end(), load_type{0});
}

/// Begins in a hold, so that at least one checkpoint has something to do, and saves in each hold
/// until nothing is left. Returns the number of checkpoints.
unsigned save_until_the_end(cluster& world, const std::string& path,
                            const std::function<void(cluster_hold&)>& begin) {
  for (unsigned saved = 0;; ++saved) {
    if (saved != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cluster_hold still(world);
    if (saved == 0) begin(still);
    if (sum_of(still.loads()) == 0) return saved;
    // Each into files of its own, so that all of them can be loaded.
    still.save(path + "-" + std::to_string(saved));
  }
}

struct node {
  std::uint64_t seed = 1;
  std::uint32_t depth = 0;
};

/// The children of a node of a tree that is drawn from its root's seed.
std::vector<node> children_of(const node& of) {
  std::vector<node> all;
  if (of.depth == 0) return all;
  std::uint64_t seed = of.seed * 0x9e3779b97f4a7c15U;
  for (std::uint64_t i = (seed >> 40) % 4; i > 0; --i) {
    seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9U;
    all.push_back({seed, of.depth - 1});
  }
  return all;
}

std::uint64_t sum_of_tree(const node& of) {
  std::uint64_t sum = of.seed;
  for (const node& each : children_of(of)) sum += sum_of_tree(each);
  return sum;
}

constexpr node root{.seed = 17, .depth = 11};

class tree_sum {
 public:
  explicit tree_sum(cluster& world)
      : add_(world.task<node, std::uint64_t>("add", [this](cluster_context& here, const node& n) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          for (const node& each : children_of(n)) here.spawn(add_, each);
          return n.seed;
        })) {}
  cluster_task<node, std::uint64_t>& task() { return add_; }

 private:
  cluster_task<node, std::uint64_t> add_;
};

class saved_holds : public testing::TestWithParam<unsigned> {};

TEST_P(saved_holds, continue_on_any_number_of_ranks) {
  const std::string path = fresh_path("tree");
  const std::uint64_t expected = sum_of_tree(root);
  unsigned checkpoints = 0;
  on_ranks(GetParam(), {.seed = 1, .most_delay = 1}, small_ranks("lifelines"), [&](cluster& world) {
    tree_sum tree(world);
    cluster_reduction total(world, std::uint64_t{0});
    const unsigned saved = save_until_the_end(world, path, [&](cluster_hold& still) {
      EXPECT_FALSE(still.load(path));
      if (world.rank() == 0) total.spawn(tree.task(), root);
    });
    EXPECT_EQ(total.wait(), expected);
    if (world.rank() == 0) checkpoints = saved;
  });
  ASSERT_GT(checkpoints, 0U);
  for (unsigned k = 0; k < checkpoints; k += 1 + checkpoints / 4) {
    for (const unsigned ranks : {1U, 2U, 3U, 7U}) {
      on_ranks(ranks, {.seed = k}, small_ranks("lifelines"), [&](cluster& world) {
        tree_sum tree(world);
        cluster_reduction total(world, std::uint64_t{0});
        {
          cluster_hold still(world);
          EXPECT_TRUE(still.load(path + "-" + std::to_string(k)));
        }
        EXPECT_EQ(total.wait(), expected) << "checkpoint " << k << ", " << ranks << " ranks";
      });
    }
  }
}

/// The numbers that a rank's takers have received.
struct received {
  std::mutex mutex;
  std::map<std::uint32_t, std::vector<std::string>> by_spawner;  // that of the first run
  bool wrong_rank = false;
};

void take_all(cluster& world, cluster_group& jobs, received& into) {
  jobs.wait([&](const std::pair<std::uint32_t, std::uint32_t>& spawned, std::string&& text) {
    const std::lock_guard lock(into.mutex);
    into.by_spawner[spawned.first].push_back(std::move(text));
    into.wrong_rank |= spawned.first % world.size() != world.rank();
  });
}

// Some of the results are at home when the ranks are saved, and some tasks have not begun.
TEST_P(saved_holds, deliver_every_result_once_where_its_task_was_spawned) {
  using spawned = std::pair<std::uint32_t, std::uint32_t>;
  constexpr std::uint32_t tasks = 60;
  const std::string path = fresh_path("results");
  const unsigned first = GetParam();
  const auto show = [](const spawned& by) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return std::to_string(by.first) + "." + std::to_string(by.second);
  };
  const auto expect_all = [&](received& got) {
    EXPECT_FALSE(got.wrong_rank);
    ASSERT_EQ(got.by_spawner.size(), first);
    for (auto& [rank, texts] : got.by_spawner) {
      std::vector<std::string> all;
      for (std::uint32_t i = 0; i < tasks; ++i) all.push_back(show({rank, i}));
      EXPECT_THAT(texts, testing::UnorderedElementsAreArray(all));
    }
  };
  std::atomic<unsigned> checkpoints{0};
  received whole;
  on_ranks(first, {.seed = 2}, small_ranks("oem"), [&](cluster& world) {
    auto task = world.task<spawned, std::string>("show", show);
    cluster_group jobs(world);
    checkpoints = save_until_the_end(world, path, [&](cluster_hold&) {
      for (std::uint32_t i = 0; i < tasks; ++i) {
        // A third goes to other ranks, and back if balancing moves it there.
        jobs.spawn(
            task, {world.rank(), i},
            {.cost = 1 + i % 3, .rank = i % 3 == 0 ? (world.rank() + i) % first : world.rank()});
      }
    });
    take_all(world, jobs, whole);
  });
  expect_all(whole);
  ASSERT_GT(checkpoints, 0U);
  for (unsigned k = 0; k < checkpoints; k += 1 + checkpoints / 3) {
    for (const unsigned ranks : {1U, 2U, 4U}) {
      received again;
      on_ranks(ranks, {.seed = k}, small_ranks("lifelines"), [&](cluster& world) {
        auto task = world.task<spawned, std::string>("show", show);
        cluster_group jobs(world);
        {
          cluster_hold still(world);
          EXPECT_TRUE(still.load(path + "-" + std::to_string(k)));
        }
        take_all(world, jobs, again);
      });
      expect_all(again);
    }
  }
}

// Tasks of objects go where their objects live now, and a bound knows the best value again.
TEST_P(saved_holds, have_objects_with_their_tasks_and_bounds) {
  const std::string path = fresh_path("objects");
  constexpr std::uint32_t objects = 5;
  constexpr int tasks = 20;
  const auto run = [&](cluster& world, bool again) {
    cluster_objects<int> counters(world, "counters");
    cluster_bound least(world, "least", 1000);
    auto add = counters.task<int, void>("add", [&](cluster_context& here, int& of, int value) {
      of += value;
      least.improve(here, 500 - value);
    });
    cluster_group jobs(world);
    if (again) {
      cluster_hold still(world);
      EXPECT_TRUE(still.load(path));
      EXPECT_EQ(least.get(), 400);
      EXPECT_GT(sum_of(still.loads()), 0);
    } else {
      for (std::uint32_t i = world.rank(); i < objects; i += world.size()) counters.make(0);
      const auto spawn = [&](int begin, int end) {
        counters.for_each([&](cluster_object_id id, int&) {
          for (int i = begin; i < end; ++i) counters.spawn(jobs, add, id, i);
        });
      };
      spawn(1, tasks / 2);
      cluster_hold still(world);
      spawn(tasks / 2, tasks + 1);  // of the others none may be left
      if (world.rank() == 0) least.improve(jobs, 400);
      still.save(path);
    }
    jobs.wait();
    EXPECT_EQ(least.get(), 400);
    std::uint32_t here = 0;
    counters.for_each([&](cluster_object_id, int& of) {
      ++here;
      EXPECT_EQ(of, tasks * (tasks + 1) / 2);
    });
    std::uint32_t all = 0;
    for (const std::uint32_t each : world.gather(here)) all += each;
    EXPECT_EQ(all, objects);
  };
  on_ranks(GetParam(), {.seed = 3}, small_ranks("oem"), [&](cluster& w) { run(w, false); });
  for (const unsigned ranks : {1U, 2U, 6U}) {
    on_ranks(ranks, {.seed = 4}, small_ranks("oem"), [&](cluster& w) { run(w, true); });
  }
}

INSTANTIATE_TEST_SUITE_P(of, saved_holds, testing::Values(1U, 2U, 3U, 5U, 8U, 16U));

/// Runs a program whose hold must refuse to save or load on all ranks, with the same text.
void expect_refusal(unsigned ranks, const std::string& text,
                    const std::function<void(cluster&)>& program) {
  const auto thrown = test::try_on_ranks(ranks, {.seed = 5}, small_ranks("oem"), program);
  for (const std::exception_ptr& each : thrown) EXPECT_THAT(test::text_of(each), HasSubstr(text));
}

TEST(a_checkpoint, is_refused_after_a_task_has_failed) {
  const std::string path = fresh_path("failed");
  expect_refusal(3, "has failed, so there is nothing to continue from", [&](cluster& world) {
    auto fail = world.task<int, void>("fail", [](int) { throw std::runtime_error("no"); });
    cluster_group jobs(world);
    if (world.rank() == 0) jobs.spawn(fail, 1, {.rank = 1, .stays = true});
    for (;;) {
      cluster_hold still(world);
      if (sum_of(still.loads()) != 0) continue;
      try {
        still.save(path);
      } catch (const error&) {
        EXPECT_THROW(jobs.wait(), remote_error);
        throw;
      }
    }
  });
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(a_checkpoint, is_refused_while_takers_receive_results) {
  const std::string path = fresh_path("taken");
  on_ranks(2, {.seed = 6}, small_ranks("oem"), [&](cluster& world) {
    auto nap = world.task<int, int>("nap", [](int value) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return value;
    });
    cluster_group jobs(world);
    for (int i = 0; i < 300; ++i) jobs.spawn(nap, i);
    std::atomic<bool> waits{false};
    std::thread waiter([&] { jobs.wait([&](int, int&&) { waits = true; }); });
    while (!waits) std::this_thread::yield();
    {
      cluster_hold still(world);
      try {
        still.save(path);
        ADD_FAILURE() << "results that takers have received are in no checkpoint";
      } catch (const error& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("its takers may have received results"));
      }
    }
    waiter.join();
  });
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// An argument that no file can have.
struct unwritable {
  int value = 0;

  template <typename Archive>
  void save(Archive&) const {
    if (value != 0) throw std::runtime_error("it is open");
  }
  template <typename Archive>
  void load(Archive&) {}
};

TEST(a_checkpoint, stays_if_another_one_cannot_be_written) {
  const std::string path = fresh_path("unwritable");
  on_ranks(2, {.seed = 7}, small_ranks("none"), [&](cluster& world) {
    auto use = world.task<unwritable, void>("use", [](const unwritable&) {});
    cluster_group jobs(world);
    {
      cluster_hold still(world);
      still.save(path);
      if (world.rank() == 1) jobs.spawn(use, {3});
      try {
        still.save(path);
        ADD_FAILURE() << "it was written";
      } catch (const error& problem) {
        EXPECT_STREQ(
            problem.what(),
            "cluster_hold::save: an argument of task \"use\" cannot be written: it is open");
      }
      EXPECT_EQ(sum_of(still.loads()), 1) << "a task is lost";
    }
    jobs.wait();
    cluster_group other(world);
    {
      cluster_hold still(world);
      EXPECT_TRUE(still.load(path));
      EXPECT_EQ(sum_of(still.loads()), 0);
    }
    other.wait();
  });
}

TEST(a_checkpoint, has_tasks_that_stay_for_the_same_number_of_ranks_only) {
  const std::string path = fresh_path("stays");
  std::atomic<int> ran{0};
  const auto program = [&](cluster& world, bool again) {
    auto own = world.task<unsigned, void>("own", [&](cluster_context& here, unsigned rank) {
      EXPECT_EQ(here.rank(), rank);
      ++ran;
    });
    cluster_group jobs(world);
    {
      cluster_hold still(world);
      if (again) {
        EXPECT_TRUE(still.load(path));
      } else {
        if (world.rank() == 0) jobs.spawn(own, 2, {.rank = 2, .stays = true});
        still.save(path);
      }
    }
    jobs.wait();
  };
  on_ranks(3, {.seed = 8}, small_ranks("oem"), [&](cluster& w) { program(w, false); });
  on_ranks(3, {.seed = 9}, small_ranks("oem"), [&](cluster& w) { program(w, true); });
  EXPECT_EQ(ran, 2);
  expect_refusal(2, "task \"own\" stays on rank 2 of 3, and there are 2 ranks now",
                 [&](cluster& w) { program(w, true); });
  EXPECT_EQ(ran, 2);
}

TEST(a_checkpoint, is_refused_by_a_program_that_it_does_not_fit) {
  const std::string path = fresh_path("fits");
  const auto add = [](int value) { return value; };
  on_ranks(2, {.seed = 10}, small_ranks("none"), [&](cluster& world) {
    auto task = world.task<int, int>("add", add);
    cluster_reduction sum(world, 0);
    cluster_hold still(world);
    if (world.rank() == 0) sum.spawn(task, 1);
    still.save(path);
  });
  expect_refusal(2,
                 "has a held cluster with the tasks \"add\" (i (4 bytes) -> i (4 bytes)), not a "
                 "held cluster with the tasks \"sum\"",
                 [&](cluster& world) {
                   static_cast<void>(world.task<int, int>("sum", add));
                   cluster_reduction sum(world, 0);
                   cluster_hold(world).load(path);
                 });
  expect_refusal(2, "it has 1 open groups, and this program has 2", [&](cluster& world) {
    static_cast<void>(world.task<int, int>("add", add));
    cluster_reduction sum(world, 0);
    cluster_group jobs(world);
    cluster_hold(world).load(path);
  });
  expect_refusal(2, "open group 1 combines other results", [&](cluster& world) {
    static_cast<void>(world.task<int, int>("add", add));
    cluster_group jobs(world);
    cluster_hold(world).load(path);
  });
  expect_refusal(2, "group 1 has tasks or is waited for on rank 1", [&](cluster& world) {
    auto task = world.task<int, int>("add", add);
    cluster_reduction sum(world, 0);
    cluster_hold still(world);
    if (world.rank() == 1) sum.spawn(task, 1);
    still.load(path);
  });
}

TEST(a_checkpoint, is_refused_by_ranks_that_have_made_different_groups) {
  const std::string path = fresh_path("different");
  for (const bool saves : {true, false}) {
    expect_refusal(
        3, "rank 2 and rank 0 have made or waited for different groups", [&](cluster& world) {
          static_cast<void>(world.task<int, int>("add", [](int value) { return value; }));
          cluster_group jobs(world);
          std::optional<cluster_group> more;
          if (world.rank() == 2) more.emplace(world);
          cluster_hold still(world);
          if (saves) {
            still.save(path);
          } else {
            still.load(path);
          }
        });
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(a_checkpoint, is_refused_if_a_file_is_spoiled) {
  const std::string path = fresh_path("spoiled-hold");
  const auto program = [&](cluster& world, bool again) {
    auto task =
        world.task<std::string, std::string>("copy", [](const std::string& t) { return t; });
    cluster_group jobs(world);
    std::string said;
    {
      cluster_hold still(world);
      if (again) {
        try {
          static_cast<void>(still.load(path));
        } catch (const error& problem) {
          said = problem.what();
        }
        EXPECT_EQ(sum_of(still.loads()), 0);
      } else {
        for (int i = 0; i < 4; ++i) jobs.spawn(task, std::to_string(i));
        still.save(path);
      }
    }
    jobs.wait();
    if (again) {
      EXPECT_NE(said, "");
    }
    for (const std::string& each : world.gather(said)) EXPECT_EQ(each, said);
  };
  on_ranks(2, {.seed = 11}, small_ranks("none"), [&](cluster& w) { program(w, false); });
  const detail::checkpoint whole = detail::read_checkpoint(path);
  for (const std::string& file : {path, detail::part_name(path, whole.generation, 1)}) {
    std::string bytes;
    {
      std::ifstream in(file, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    const auto write = [&](const std::string& text) {
      std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 12) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ 0x20);
      for (const std::string& spoiled : {other, bytes.substr(0, i)}) {
        write(spoiled);
        on_ranks(2, {.seed = i}, small_ranks("none"), [&](cluster& w) { program(w, true); });
      }
    }
    write(bytes);
  }
}

}  // namespace
}  // namespace evencube
