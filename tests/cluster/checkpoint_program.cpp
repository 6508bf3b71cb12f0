// A program that goes on from its checkpoint, and is killed by checkpoint_test.py.
//
// usage: checkpoint_program RANKS PATH STEPS
//
// Blocks of numbers live on ranks that are threads. In each step, each block is stirred by a task.
// Every few steps blocks move and are saved. In the end the program prints a number that depends on
// all blocks and all steps, and neither on the number of ranks nor on where blocks live. In the
// beginning it prints the step from which it goes on.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <evencube/cluster/objects.hpp>
#include <string>
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

std::uint64_t run(evencube::cluster& world, const std::string& path, std::uint64_t steps) {
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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto ranks = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  const std::string path = argv[2];
  const std::uint64_t steps = std::strtoull(argv[3], nullptr, 10);
  evencube::test::on_ranks(ranks, {.seed = 1}, evencube::test::small_ranks(),
                           [&](evencube::cluster& world) {
                             const std::uint64_t found = run(world, path, steps);
                             if (world.rank() == 0)
                               std::printf("%llu\n", static_cast<unsigned long long>(found));
                           });
}
