// Ranks of a cluster: run by mpirun, or alone, as one process.
#include <chrono>
#include <evencube/cluster.hpp>
#include <exception>

#include "work.hpp"

namespace {

using namespace bench::ranks;  // NOLINT(google-build-using-namespace): the work is this program's
using evencube::cluster;
using evencube::cluster_context;
using evencube::cluster_group;
using evencube::cluster_statistics;
using evencube::cluster_task;
using clock_type = std::chrono::steady_clock;

/// What the timed groups of a rank took part in; waits that bring the ranks together do not count.
struct counters {
  std::uint64_t tasks = 0, moved = 0, messages = 0, bytes = 0, rounds = 0;
  std::uint64_t with_tasks = 0, with_results = 0, balancing = 0, termination = 0;

  void add(const cluster_statistics& from, const cluster_statistics& until) {
    tasks += until.executed - from.executed;
    moved += until.tasks_sent - from.tasks_sent;
    messages += until.messages_sent - from.messages_sent;
    bytes += until.bytes_sent - from.bytes_sent;
    rounds += until.rounds - from.rounds;
    with_tasks += until.task_messages - from.task_messages;
    with_results += until.result_messages - from.result_messages;
    balancing += until.balancing_messages - from.balancing_messages;
    termination += until.termination_messages - from.termination_messages;
  }
};

template <typename Spawn, typename... Takers>
double timed_group(cluster& world, counters& counted, const Spawn& spawn, Takers&&... takers) {
  cluster_group together(world);  // ranks begin together
  together.wait();
  const cluster_statistics before = world.stats();
  // Tasks come to a rank only after it has counted. The messages of this call count too.
  static_cast<void>(world.gather(0));
  const auto began = clock_type::now();
  cluster_group jobs(world);
  if (world.rank() == 0) spawn(jobs);
  jobs.wait(takers...);
  const double took = std::chrono::duration<double>(clock_type::now() - began).count();
  counted.add(before, world.stats());
  return took;
}

int measure(int argc, char** argv, const settings& what) {
  evencube::cluster_options options;
  options.transmission = what.transmission;
  if (what.balancer != "lifelines") {
    options.balancer = what.balancer;
    options.sharing = evencube::cluster_sharing::rounds;
  }
  options.result_seconds = what.result_seconds;
  options.local.workers = what.workers;
  options.local.pin = false;  // ranks of one machine share its processors
  cluster world(argc, argv, options);

  const search_tree tree =
      evencube::workloads::tree_named(what.workload == "uts" ? what.tree : "tiny");
  cluster_task<tree_part, std::uint64_t> walk;
  walk = world.task<tree_part, std::uint64_t>(
      "walk", [&](cluster_context& here, const tree_part& from) {
        tree_part part = from;
        const std::uint64_t count = count_some(tree, part, what.grain);
        // Below each node as much is to be expected as below any other.
        for (tree_part& each : dealt(part, 4)) {
          const auto nodes = static_cast<std::uint32_t>(each.size());
          here.spawn(walk, std::move(each), {.cost = nodes});
        }
        return count;
      });
  cluster_task<queens, std::uint64_t> place;
  place = world.task<queens, std::uint64_t>(
      "place", [&](cluster_context& here, const queens& on) -> std::uint64_t {
        if (on.rows == what.rows) return count_ways(what.size, on);
        // Some ten columns of a row are free.
        const unsigned cost = on.rows + 1 == what.rows ? 1 : 10;
        place_next(what.size, on,
                   [&](const queens& next) { here.spawn(place, next, {.cost = cost}); });
        return 0;
      });
  auto paint = world.task<tile, tile_pixels>(
      "paint", [&](const tile& at) { return painted(what.image, at); });
  auto nothing =
      world.task<std::uint32_t, std::uint32_t>("nothing", [](std::uint32_t) { return 1U; });

  report said;
  counters counted;
  for (int repeat = -1; repeat < what.repetitions; ++repeat) {
    if (repeat == 0) counted = {};  // what was before does not count
    std::uint64_t found = 0;        // of tasks that were spawned on this rank
    double took = 0;
    if (what.workload == "uts") {
      took = timed_group(
          world, counted,
          [&](cluster_group& jobs) {
            jobs.spawn(walk, tree_part{evencube::workloads::root_of(tree)});
          },
          [&](const tree_part&, std::uint64_t count) { found += count; });
    } else if (what.workload == "queens") {
      took = timed_group(
          world, counted, [&](cluster_group& jobs) { jobs.spawn(place, queens{}); },
          [&](const queens&, std::uint64_t count) { found += count; });
    } else if (what.workload == "empty") {  // all to the last rank, and back
      took = timed_group(
          world, counted,
          [&](cluster_group& jobs) {
            for (std::uint32_t i = 0; i < what.tasks; ++i) {
              jobs.spawn(nothing, i, {.rank = world.size() - 1});
            }
          },
          [&](std::uint32_t, std::uint32_t one) { found += one; });
    } else {
      took = timed_group(
          world, counted,
          [&](cluster_group& jobs) {
            for (std::uint32_t y = 0; y < what.image.tiles_per_side; ++y) {
              for (std::uint32_t x = 0; x < what.image.tiles_per_side; ++x) {
                jobs.spawn(paint, {x, y});
              }
            }
          },
          [&](const tile&, tile_pixels&& pixels) { found += sum_of(pixels); });
    }
    if (repeat < 0) continue;
    said.seconds.push_back(took);
    said.found.push_back(found);
  }
  said.counts = {{"tasks", counted.tasks},
                 {"moved", counted.moved},
                 {"messages", counted.messages},
                 {"bytes", counted.bytes},
                 {"rounds", counted.rounds},
                 {"with tasks", counted.with_tasks},
                 {"with results", counted.with_results},
                 {"balancing", counted.balancing},
                 {"termination", counted.termination}};
  print(said, what, world.rank());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(argc, argv, settings_of(argc, argv));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
}
