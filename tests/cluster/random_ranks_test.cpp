// Whole programs over ranks, drawn from a seed: the number of ranks, their balancer, the delays,
// and groups of tasks that spawn tasks anywhere, throw and are held. Each task runs once, each
// result arrives once at its rank, and each group that failed throws on all ranks.
//
// EVENCUBE_RANK_PROGRAMS: the number of programs; EVENCUBE_RANK_SEED: the seed of the first
// program.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <evencube/balancers/registry.hpp>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

/// A task. All of its actions are drawn from its seed, so that the work of a program is known.
struct work {
  std::uint64_t seed = 0;
  std::uint32_t depth = 0;
  bool may_throw = false;
  std::vector<std::uint8_t> ballast;
  std::optional<unsigned> only_on;  // the rank on which it has to run

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(seed, depth, may_throw, ballast, only_on);
  }
};

struct child_of {
  work what;
  cluster_spawn_options how;
};

/// The actions of a task.
struct deeds {
  std::vector<child_of> children;
  std::chrono::microseconds spins{0};
  bool throws = false;
  std::vector<child_of> follow;  // spawned by the rank that takes the result
};

child_of drawn_child(std::mt19937_64& random, unsigned ranks, std::uint32_t depth, bool may_throw) {
  child_of made{{random(), depth, may_throw, {}, {}}, {}};
  if (random() % 2 == 0) made.how.cost = 1 + static_cast<std::uint32_t>(random() % 9);
  if (random() % 4 == 0) made.how.rank = static_cast<unsigned>(random() % ranks);
  made.how.stays = random() % 4 == 0;
  if (made.how.stays) made.what.only_on = made.how.rank;
  made.what.ballast.resize(random() % 16 == 0 ? random() % 2000 : random() % 20);
  return made;
}

deeds deeds_of(std::uint64_t seed, std::uint32_t depth, bool may_throw, unsigned ranks) {
  std::mt19937_64 random(seed);
  deeds drawn;
  if (depth > 0) {
    for (auto children = random() % 4; children > 0; --children) {
      drawn.children.push_back(drawn_child(random, ranks, depth - 1, may_throw));
    }
    if (random() % 8 == 0) {
      drawn.follow.push_back(drawn_child(random, ranks, depth - 1, may_throw));
    }
  }
  if (random() % 4 == 0) drawn.spins = std::chrono::microseconds(random() % 100);
  drawn.throws = may_throw && random() % 10 == 0;
  return drawn;
}

struct group_plan {
  std::vector<std::vector<child_of>> roots;  // by rank
  unsigned holds = 0;
  bool balances = false;  // balances during the holds
  bool may_throw = false;
  bool takes = true;  // false: its results are dropped
};

struct program {
  unsigned ranks = 1;
  cluster_options options;
  local_network::options network;
  std::vector<group_plan> groups;
};

template <typename T>
T one_of(std::mt19937_64& random, const std::vector<T>& all) {
  return all[random() % all.size()];
}

program drawn_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> balancers{"none", "random_stealing", "random_stealing"};
  for (const balancer_descriptor& each : registered_balancers()) balancers.push_back(each.name);
  program drawn;
  drawn.ranks = 1 + static_cast<unsigned>(random() % 9);
  drawn.options =
      test::small_ranks(one_of(random, balancers), 1 + static_cast<unsigned>(random() % 3));
  drawn.options.window_bytes = one_of<std::uint64_t>(random, {1, 500, std::uint64_t{1} << 24});
  drawn.options.transmission = one_of<std::string>(
      random, {"direct", "phased", "overlapped", "overlapped_rounds", "pipelined"});
  drawn.options.result_seconds = one_of<double>(random, {0, 1e-4, 0.1});
  drawn.options.quantum_seconds = one_of<double>(random, {0, 1e-5});
  drawn.options.message_seconds = one_of<double>(random, {0, 20e-6});
  drawn.network.seed = seed;
  drawn.network.most_delay = one_of<unsigned>(random, {0, 1, 5, 30});
  // Some messages are too short for everything that would go together.
  drawn.network.most_bytes = one_of<std::size_t>(random, {std::size_t{1} << 30, 8000});
  for (auto groups = 1 + random() % 4; groups > 0; --groups) {
    group_plan made;
    made.may_throw = random() % 3 == 0;
    made.takes = random() % 6 != 0;
    made.holds = static_cast<unsigned>(random() % 3 == 0 ? 1 + random() % 2 : 0);
    made.balances = random() % 2 == 0 && drawn.options.balancer != "random_stealing" &&
                    drawn.options.balancer != "none";
    const bool on_all = random() % 2 == 0;
    for (unsigned k = 0; k < drawn.ranks; ++k) {
      std::vector<child_of> own;
      if (on_all || k == 0) {
        for (auto roots = random() % 6; roots > 0; --roots) {
          own.push_back(drawn_child(random, drawn.ranks,
                                    1 + static_cast<std::uint32_t>(random() % 5), made.may_throw));
        }
      }
      made.roots.push_back(std::move(own));
    }
    drawn.groups.push_back(std::move(made));
  }
  return drawn;
}

/// The work of all ranks together in a group, done or expected.
struct ledger {
  std::vector<std::uint64_t> ran;
  std::vector<std::uint64_t> came;
  std::vector<std::string> thrown;  // texts of the exceptions

  void sort() {
    for (auto* each : {&ran, &came}) std::sort(each->begin(), each->end());
  }
};

void expect_work(const work& what, unsigned ranks, bool takes, ledger& into) {
  const deeds does = deeds_of(what.seed, what.depth, what.may_throw, ranks);
  into.ran.push_back(what.seed);
  for (const child_of& each : does.children) expect_work(each.what, ranks, takes, into);
  if (does.throws) {
    into.thrown.push_back(std::to_string(what.seed));
  } else if (takes) {
    into.came.push_back(what.seed);
    for (const child_of& each : does.follow) expect_work(each.what, ranks, takes, into);
  }
}

/// The result of a task: its seed, and as many further values as it was given.
using outcome = std::vector<std::uint64_t>;

void run_rank(cluster& world, const program& of, ledger& did, std::mutex& mutex) {
  std::size_t group_now = 0;
  cluster_task<work, outcome> act;
  act = world.task<work, outcome>("act", [&](cluster_context& here, const work& what) {
    const deeds does = deeds_of(what.seed, what.depth, what.may_throw, here.size());
    EXPECT_EQ(what.only_on.value_or(here.rank()), here.rank());
    for (const child_of& each : does.children) here.spawn(act, each.what, each.how);
    const auto end = std::chrono::steady_clock::now() + does.spins;
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
    {
      const std::lock_guard lock(mutex);
      did.ran.push_back(what.seed);
    }
    if (does.throws) throw std::runtime_error(std::to_string(what.seed));
    outcome result(1 + what.ballast.size() / 8, what.seed);
    return result;
  });
  for (const group_plan& plan : of.groups) {
    std::string thrown;
    {
      cluster_group jobs(world);
      for (const child_of& each : plan.roots[world.rank()]) jobs.spawn(act, each.what, each.how);
      for (unsigned i = 0; i < plan.holds; ++i) {
        cluster_hold still(world);
        const std::vector<load_type> loads = still.loads();
        EXPECT_EQ(still.loads(), loads);
        if (plan.balances) {
          EXPECT_EQ(still.balance().loads, loads);
        }
      }
      try {
        if (!plan.takes) jobs.wait();
        if (plan.takes) {
          jobs.wait([&](const work& what, outcome&& result) {
            EXPECT_EQ(result, outcome(1 + what.ballast.size() / 8, what.seed));
            for (const child_of& each :
                 deeds_of(what.seed, what.depth, what.may_throw, world.size()).follow) {
              jobs.spawn(act, each.what, each.how);
            }
            const std::lock_guard lock(mutex);
            did.came.push_back(what.seed);
          });
        }
      } catch (const remote_error& problem) {
        EXPECT_LT(problem.rank(), world.size());
        thrown = problem.text();
      }
    }
    const std::vector<std::string> all = world.gather(thrown);
    for (const std::string& each : all) EXPECT_EQ(each, thrown) << "group " << group_now;
    if (world.rank() == 0) {
      const std::lock_guard lock(mutex);
      did.thrown.push_back(thrown);
    }
    ++group_now;
  }
}

void run_program(std::uint64_t seed) {
  const program of = drawn_program(seed);
  ledger did;
  std::mutex mutex;
  test::on_ranks(of.ranks, of.network, of.options,
                 [&](cluster& world) { run_rank(world, of, did, mutex); });
  ledger expected;
  ASSERT_EQ(did.thrown.size(), of.groups.size());
  for (std::size_t g = 0; g < of.groups.size(); ++g) {
    ledger group;
    for (const auto& roots : of.groups[g].roots) {
      for (const child_of& each : roots) {
        expect_work(each.what, of.ranks, of.groups[g].takes, group);
      }
    }
    const std::string& text = did.thrown[g];
    if (group.thrown.empty()) {
      EXPECT_EQ(text, "") << "group " << g;
    } else {
      EXPECT_NE(std::find(group.thrown.begin(), group.thrown.end(), text), group.thrown.end())
          << "group " << g << " threw \"" << text << '"';
    }
    expected.ran.insert(expected.ran.end(), group.ran.begin(), group.ran.end());
    expected.came.insert(expected.came.end(), group.came.begin(), group.came.end());
  }
  expected.sort();
  did.sort();
  EXPECT_EQ(did.ran, expected.ran);
  EXPECT_EQ(did.came, expected.came);
}

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

TEST(random_ranks, do_everything_once) {
  const std::uint64_t programs = number_in("EVENCUBE_RANK_PROGRAMS", 60);
  const std::uint64_t first = number_in("EVENCUBE_RANK_SEED", 1);
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    run_program(seed);
    if (HasFailure()) {
      FAIL() << "seed " << seed << "; again: EVENCUBE_RANK_PROGRAMS=1 EVENCUBE_RANK_SEED=" << seed;
    }
  }
}

}  // namespace
}  // namespace evencube
