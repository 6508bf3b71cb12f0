// Whole programs over ranks, drawn from a seed: the options, and groups of tasks that spawn tasks
// anywhere, throw and are held. What they have to do is known before they run.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/cluster.hpp>
#include <evencube/cluster/bound.hpp>
#include <evencube/cluster/local_network.hpp>
#include <evencube/cluster/objects.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace evencube::test::random_ranks {

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
  std::vector<child_of> follow;          // spawned by the rank that takes the result
  std::optional<std::uint64_t> touches;  // an object
};

inline child_of drawn_child(std::mt19937_64& random, unsigned ranks, std::uint32_t depth,
                            bool may_throw) {
  child_of made{{random(), depth, may_throw, {}, {}}, {}};
  if (random() % 2 == 0) made.how.cost = 1 + static_cast<std::uint32_t>(random() % 9);
  if (random() % 4 == 0) made.how.rank = static_cast<unsigned>(random() % ranks);
  made.how.stays = random() % 4 == 0;
  if (made.how.stays) made.what.only_on = made.how.rank;
  made.what.ballast.resize(random() % 16 == 0 ? random() % 2000 : random() % 20);
  return made;
}

inline deeds deeds_of(std::uint64_t seed, std::uint32_t depth, bool may_throw, unsigned ranks) {
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
  if (random() % 3 == 0) drawn.touches = random();
  return drawn;
}

/// What becomes of objects before a group begins.
enum class objects_go { nowhere, onward, by_plan };

struct group_plan {
  std::vector<std::vector<child_of>> roots;  // by rank
  bool calls = false;                        // a future gets the result of every second root
  unsigned holds = 0;
  bool balances = false;  // balances during the holds
  bool may_throw = false;
  bool takes = true;     // false: its results are dropped
  bool reduces = false;  // its results are combined on the way
  objects_go objects = objects_go::nowhere;
  bool restarts = false;  // in its last hold, from a checkpoint
};

struct program {
  unsigned ranks = 1;
  cluster_options options;
  local_network::options network;
  unsigned objects = 0;  // that each rank makes
  std::vector<group_plan> groups;
};

template <typename T>
T one_of(std::mt19937_64& random, const std::vector<T>& all) {
  return all[random() % all.size()];
}

/// The fault of a rank: it strikes in one of the tasks that run there, or after the last group if
/// fewer do.
struct fault {
  unsigned rank = 0;
  std::uint64_t task = 0;
  std::function<void()> strike = nullptr;  // null for no fault
};

/// Draws the number of ranks, too, unless it is given.
inline program drawn_program(std::uint64_t seed, std::optional<unsigned> ranks = std::nullopt) {
  std::mt19937_64 random(seed);
  std::vector<std::string> balancers{"none", "random_stealing", "random_stealing"};
  for (const balancer_descriptor& each : registered_balancers()) balancers.push_back(each.name);
  program drawn;
  drawn.ranks = 1 + static_cast<unsigned>(random() % 9);
  if (ranks) drawn.ranks = *ranks;
  drawn.options.balancer = one_of(random, balancers);
  if (random() % 2 == 0) drawn.options.sharing = cluster_sharing::rounds;
  drawn.options.local.workers = 1 + static_cast<unsigned>(random() % 3);
  drawn.options.local.pin = false;
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
  if (random() % 2 == 0) {
    for (unsigned k = 0; k < drawn.ranks; ++k) {
      drawn.network.node_of.push_back(static_cast<unsigned>(random() % 3));
    }
  }
  drawn.objects = static_cast<unsigned>(random() % 4);
  for (auto groups = 1 + random() % 4; groups > 0; --groups) {
    group_plan made;
    made.objects =
        one_of<objects_go>(random, {objects_go::nowhere, objects_go::onward, objects_go::by_plan});
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
    // The combination of all results, which grows here with their number, goes in one message.
    made.reduces = random() % 4 == 0 && drawn.network.most_bytes > 8000;
    made.restarts = made.holds > 0 && random() % 2 == 0;
    made.calls = random() % 3 == 0 && !made.restarts && !made.reduces;
    drawn.groups.push_back(std::move(made));
  }
  return drawn;
}

/// The work of all ranks together in a group, done or expected.
struct ledger {
  std::vector<std::uint64_t> ran;
  std::vector<std::uint64_t> came;
  std::vector<std::string> thrown;               // texts of the exceptions
  std::vector<std::uint64_t> least;              // the least seed of all tasks so far, by group
  std::map<std::uint64_t, std::uint64_t> cells;  // sums of the seeds that touched objects
  std::vector<std::string> wrong;                // what should not have happened

  void sort() {
    for (auto* each : {&ran, &came}) std::sort(each->begin(), each->end());
  }
};

/// The result of a task: its seed, and as many further values as it was given.
using outcome = std::vector<std::uint64_t>;

inline outcome outcome_of(const work& what) {
  return outcome(1 + what.ballast.size() / 8, what.seed);
}

/// Combines two results, or two combinations of results.
inline outcome appended(outcome a, const outcome& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline void expect_work(const work& what, const program& of, const group_plan& in, ledger& into) {
  const deeds does = deeds_of(what.seed, what.depth, what.may_throw, of.ranks);
  into.ran.push_back(what.seed);
  if (does.touches && of.objects > 0) {
    into.cells[*does.touches % (std::uint64_t{of.objects} * of.ranks)] += what.seed;
  }
  for (const child_of& each : does.children) expect_work(each.what, of, in, into);
  if (does.throws) {
    into.thrown.push_back(std::to_string(what.seed));
  } else if (in.reduces) {
    into.came = appended(std::move(into.came), outcome_of(what));
  } else if (in.takes) {
    into.came.push_back(what.seed);
    for (const child_of& each : does.follow) expect_work(each.what, of, in, into);
  }
}

/// Where a program saves what it needs to continue, and the group in which it did.
struct restart {
  std::string path;  // empty: it never does
  std::optional<std::size_t> from = {};
};

/// Runs a program on one rank, and writes down what the rank does.
class rank_run {
 public:
  rank_run(cluster& world, const program& of, const fault& harm, ledger& did, std::mutex& mutex,
           restart again = {})
      : world_(world),
        of_(of),
        harm_(harm),
        did_(did),
        mutex_(mutex),
        again_(std::move(again)),
        least_(world, "least", ~std::uint64_t{0}),
        cells_(world, "cells") {}

  /// Returns the group in which all ranks have saved, and from which another run has to continue.
  std::optional<std::size_t> run() {
    act_ = world_.task<work, outcome>(
        "act", [this](cluster_context& here, const work& what) { return act(here, what); });
    touch_ = cells_.task<std::uint64_t, void>(
        "touch", [](std::uint64_t& cell, const std::uint64_t& seed) { cell += seed; });
    if (!again_.from) {
      for (unsigned i = 0; i < of_.objects; ++i) cells_.make(0);
      cells_.share();
    }
    for (std::size_t g = again_.from.value_or(0); g < of_.groups.size(); ++g) {
      const group_plan& plan = of_.groups[g];
      if (again_.from != g) move_objects(plan);
      const std::string thrown = run_group(plan, again_.from == g);
      if (abandoned_) return g;
      for (const std::string& each : world_.gather(thrown)) {
        expect(each == thrown, "ranks throw \"" + each + "\" and \"" + thrown + '"');
      }
      const std::uint64_t least = least_.get();
      for (const std::uint64_t each : world_.gather(least)) {
        expect(each == least, "ranks know different bounds");
      }
      if (world_.rank() != 0) continue;
      const std::lock_guard lock(mutex_);
      did_.thrown.push_back(thrown);
      did_.least.push_back(least);
    }
    if (tasks_ <= harm_.task) strike();
    cells_.for_each([&](cluster_object_id id, std::uint64_t& sum) {
      const std::lock_guard lock(mutex_);
      if (sum != 0) did_.cells[std::uint64_t{id.maker} * of_.objects + id.number] += sum;
    });
    return std::nullopt;
  }

 private:
  outcome act(cluster_context& here, const work& what) {
    if (abandoned_) return {};
    if (tasks_++ == harm_.task) strike();
    const deeds does = deeds_of(what.seed, what.depth, what.may_throw, here.size());
    expect(what.only_on.value_or(here.rank()) == here.rank(), "a task that stays has moved");
    least_.improve(here, what.seed);
    if (does.touches && of_.objects > 0) {
      const std::uint64_t cell = *does.touches % (std::uint64_t{of_.objects} * here.size());
      const cluster_object_id id{static_cast<std::uint32_t>(cell / of_.objects),
                                 static_cast<std::uint32_t>(cell % of_.objects)};
      cells_.spawn(here, touch_, id, what.seed);
    }
    for (const child_of& each : does.children) here.spawn(act_, each.what, each.how);
    const auto end = std::chrono::steady_clock::now() + does.spins;
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
    {
      const std::lock_guard lock(mutex_);
      did_.ran.push_back(what.seed);
    }
    if (does.throws) throw std::runtime_error(std::to_string(what.seed));
    return outcome_of(what);
  }

  void move_objects(const group_plan& plan) {
    if (plan.objects == objects_go::onward) {
      std::vector<std::pair<cluster_object_id, unsigned>> moves;
      cells_.for_each([&](cluster_object_id id, std::uint64_t&) {
        moves.emplace_back(id, (world_.rank() + 1 + id.number) % world_.size());
      });
      cells_.move(moves);
    } else if (plan.objects == objects_go::by_plan) {
      const auto done = cells_.balance_by([](std::uint64_t) { return 1; }, "oem");
      load_type here = 0;
      cells_.for_each([&](cluster_object_id, std::uint64_t&) { ++here; });
      expect(here == final_loads(done.planned, done.loads_before)[world_.rank()],
             "objects are elsewhere than planned");
    }
  }

  /// Spawns the roots of this rank, and holds the cluster while they run.
  template <typename Group>
  void begin(Group& jobs, const group_plan& plan, bool again) {
    if (again) {
      cluster_hold still(world_);
      expect(still.load(again_.path), "there is no checkpoint");
      return;
    }
    std::size_t spawned = 0;
    for (const child_of& each : plan.roots[world_.rank()]) {
      if constexpr (std::is_same_v<Group, cluster_group>) {
        if (plan.calls && ++spawned % 2 == 0) {
          called_.emplace_back(each.what, jobs.call(act_, each.what, each.how));
          continue;
        }
      }
      jobs.spawn(act_, each.what, each.how);
    }
    for (unsigned i = 0; i < plan.holds; ++i) {
      cluster_hold still(world_);
      const std::vector<load_type> loads = still.loads();
      expect(still.loads() == loads, "loads change under a hold");
      if (plan.balances) expect(still.balance().loads == loads, "a balancer sees other loads");
      if (plan.restarts && i + 1 == plan.holds && !again_.path.empty()) save(still);
    }
  }
  /// What runs after this hold does nothing.
  void save(cluster_hold& still) {
    try {
      still.save(again_.path);
    } catch (const error& problem) {
      const std::string text = problem.what();
      expect(text.find("has failed, so there is nothing to continue from") != std::string::npos,
             text);
      return;
    }
    abandoned_ = true;
  }

  /// Returns the text of the exception of a task, if any.
  std::string run_group(const group_plan& plan, bool again) {
    try {
      if (plan.reduces) {
        cluster_reduction jobs(world_, outcome{}, appended);
        begin(jobs, plan, again);
        if (abandoned_) return "";
        take_whole(jobs.wait());
        return "";
      }
      cluster_group jobs(world_);
      begin(jobs, plan, again);
      if (abandoned_) return "";
      const auto take = [&](const work& what, outcome&& result) {
        expect(result == outcome_of(what), "a result is wrong");
        if (!plan.takes) return;
        for (const child_of& each :
             deeds_of(what.seed, what.depth, what.may_throw, world_.size()).follow) {
          jobs.spawn(act_, each.what, each.how);
        }
        const std::lock_guard lock(mutex_);
        did_.came.push_back(what.seed);
      };
      for (auto& [what, result] : std::exchange(called_, {})) {
        try {
          take(what, result.get());
        } catch (const remote_error& problem) {
          expect(problem.text() == std::to_string(what.seed), "a future has another exception");
        }
      }
      if (plan.takes) {
        jobs.wait(take);
      } else {
        jobs.wait();
      }
    } catch (const remote_error& problem) {
      expect(problem.rank() < world_.size(), "an exception comes from no rank");
      return problem.text();
    }
    return "";
  }

  /// Takes the combination of all results of a group, which is the same on all ranks.
  void take_whole(outcome all) {
    for (const outcome& each : world_.gather(all)) {
      expect(each == all, "ranks have combined otherwise");
    }
    if (world_.rank() != 0) return;
    const std::lock_guard lock(mutex_);
    did_.came = appended(std::move(did_.came), all);
  }

  void strike() {
    if (harm_.strike && world_.rank() == harm_.rank) harm_.strike();
  }
  void expect(bool so, const std::string& otherwise) {
    if (so) return;
    const std::lock_guard lock(mutex_);
    did_.wrong.push_back(otherwise + ", rank " + std::to_string(world_.rank()));
  }

  cluster& world_;
  const program& of_;
  const fault& harm_;
  ledger& did_;
  std::mutex& mutex_;
  const restart again_;
  cluster_bound<std::uint64_t> least_;
  cluster_objects<std::uint64_t> cells_;
  cluster_object_task<std::uint64_t, std::uint64_t, void> touch_;
  cluster_task<work, outcome> act_;
  std::vector<std::pair<work, cluster_future<outcome>>> called_;
  std::atomic<std::uint64_t> tasks_{0};
  std::atomic<bool> abandoned_{false};
};

/// Adds to `did.wrong` what all ranks together did otherwise than the program says.
inline void compare(const program& of, ledger& did) {
  ledger expected;
  if (did.thrown.size() != of.groups.size() || did.least.size() != of.groups.size()) {
    did.wrong.push_back("not all groups have ended");
    return;
  }
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t g = 0; g < of.groups.size(); ++g) {
    ledger group;
    for (const auto& roots : of.groups[g].roots) {
      for (const child_of& each : roots) {
        expect_work(each.what, of, of.groups[g], group);
      }
    }
    for (const std::uint64_t seed : group.ran) least = std::min(least, seed);
    if (did.least[g] != least) {
      did.wrong.push_back("group " + std::to_string(g) + " found another least seed");
    }
    const std::string& text = did.thrown[g];
    const bool one_of_these =
        group.thrown.empty()
            ? text.empty()
            : std::find(group.thrown.begin(), group.thrown.end(), text) != group.thrown.end();
    if (!one_of_these) {
      did.wrong.push_back("group " + std::to_string(g) + " threw \"" + text + '"');
    }
    for (const auto& [cell, sum] : group.cells) expected.cells[cell] += sum;
    expected.ran = appended(std::move(expected.ran), group.ran);
    if (!of.groups[g].reduces || group.thrown.empty()) {
      expected.came = appended(std::move(expected.came), group.came);
    }
  }
  std::erase_if(expected.cells, [](const auto& each) { return each.second == 0; });
  if (did.cells != expected.cells) did.wrong.push_back("not every object was touched by its tasks");
  expected.sort();
  did.sort();
  if (did.ran != expected.ran) did.wrong.push_back("not every task has run once");
  if (did.came != expected.came) did.wrong.push_back("not every result has come once");
}

}  // namespace evencube::test::random_ranks
