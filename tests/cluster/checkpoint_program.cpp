// A program that goes on from its checkpoint, and is killed by checkpoint_test.py.
//
// usage: checkpoint_program blocks|tree RANKS PATH STEPS
//
// tree: STEPS thousands of tasks, each spawned by another one, are saved again and again while they
// run. In the end the program prints a sum of their results, and in the beginning 1 if it goes on
// from a checkpoint.
//
// blocks: blocks of numbers live on ranks that are threads. In each step, each block is stirred by
// a task. Every few steps blocks move and are saved. In the end the program prints a number that
// depends on all blocks and all steps, and neither on the number of ranks nor on where blocks live.
// In the beginning it prints the step from which it goes on.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <evencube/cluster/objects.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cluster/support.hpp"

namespace {

struct block {
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> numbers;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(steps, numbers);
  }
};

void stir(block& b) {
  ++b.steps;
  std::uint64_t carry = b.steps;
  for (std::uint64_t& each : b.numbers) {
    each = (each ^ carry) * 0x9e3779b97f4a7c15U;
    carry = each >> 17;
  }
}

std::uint64_t run_blocks(evencube::cluster& world, const std::string& path, std::uint64_t steps) {
  constexpr std::uint32_t blocks_of_all = 24;
  evencube::cluster_objects<block> blocks(world, "blocks");
  auto step = blocks.task<std::uint64_t, void>("step", [](block& b, std::uint64_t) { stir(b); });
  if (!blocks.load(path) && world.rank() == 0) {
    for (std::uint64_t i = 0; i < blocks_of_all; ++i) {
      blocks.make({0, std::vector<std::uint64_t>(100 + 200 * (i % 5), i)});
    }
  }
  std::uint64_t done = 0;
  blocks.for_each([&](evencube::cluster_object_id, block& b) { done = b.steps; });
  for (const std::uint64_t each : world.gather(done)) done = std::max(done, each);
  if (world.rank() == 0) {
    std::printf("from %llu\n", static_cast<unsigned long long>(done));
    std::fflush(stdout);
  }
  while (done < steps) {
    if (done % 5 == 0) {
      blocks.balance_by(
          [](const block& b) { return static_cast<evencube::load_type>(b.numbers.size()); });
      blocks.save(path);
    }
    evencube::cluster_group jobs(world);
    blocks.for_each(
        [&](evencube::cluster_object_id id, block&) { blocks.spawn(jobs, step, id, done); });
    jobs.wait();
    ++done;
  }
  std::uint64_t sum = 0;
  blocks.for_each([&](evencube::cluster_object_id id, block& b) {
    for (const std::uint64_t each : b.numbers) sum += each * (id.number + 1) + b.steps;
  });
  std::uint64_t all = 0;
  for (const std::uint64_t each : world.gather(sum)) all += each;
  return all;
}

/// A part of the numbers below `tasks`, or a number of ended tasks and the sum of their results.
struct span_of_numbers {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
struct progress {
  std::uint64_t ended = 0;
  std::uint64_t sum = 0;

  friend progress operator+(const progress& a, const progress& b) {
    return {a.ended + b.ended, a.sum + b.sum};
  }
};

std::uint64_t run_tree(evencube::cluster& world, const std::string& path, std::uint64_t tasks) {
  evencube::cluster_task<span_of_numbers, progress> add;
  std::atomic<std::uint64_t> ended_here{0};
  add = world.task<span_of_numbers, progress>(
      "add", [&](evencube::cluster_context& here, const span_of_numbers& of) -> progress {
        const std::uint64_t left = of.count - 1;
        if (left / 2 > 0) here.spawn(add, {of.first + 1, left / 2});
        if (left - left / 2 > 0) here.spawn(add, {of.first + 1 + left / 2, left - left / 2});
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        ++ended_here;
        return {1, of.first * of.first};
      });
  evencube::cluster_reduction total(world, progress{});
  bool found = false;
  {
    evencube::cluster_hold still(world);
    found = still.load(path);
    if (!found && world.rank() == 0) total.spawn(add, {0, tasks});
  }
  if (world.rank() == 0) {
    std::printf("from %d\n", found ? 1 : 0);
    std::fflush(stdout);
  }
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    evencube::cluster_hold still(world);
    evencube::load_type left = 0;
    for (const evencube::load_type each : still.loads()) left += each;
    if (left == 0) break;
    still.save(path);
  }
  const progress all = total.wait();
  std::uint64_t ended = 0;
  for (const std::uint64_t each : world.gather(ended_here.load())) ended += each;
  // Each task counts once, wherever it ran, and those of the checkpoint have not run again.
  if (all.ended != tasks || (found && ended >= tasks)) return 0;
  return all.sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const bool tree = std::string(argv[1]) == "tree";
  const auto ranks = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const std::string path = argv[3];
  const std::uint64_t steps = std::strtoull(argv[4], nullptr, 10);
  evencube::test::on_ranks(
      ranks, {.seed = 1}, evencube::test::small_ranks(), [&](evencube::cluster& world) {
        const std::uint64_t found =
            tree ? run_tree(world, path, 1000 * steps) : run_blocks(world, path, steps);
        if (world.rank() == 0) std::printf("%llu\n", static_cast<unsigned long long>(found));
      });
}
