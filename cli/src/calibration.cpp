#include "calibration.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <evencube/balancers/registry.hpp>
#include <evencube/evencube.hpp>
#include <thread>
#include <vector>

#include "measurement.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {
namespace {

using clock = std::chrono::steady_clock;
using simulator::machine_costs;

constexpr int few = 5;
constexpr int many = 41;

/// Seconds per worker for reading the loads and planning, measured over enough repeats for the
/// clock.
double measure_planning(runtime& workers) {
  constexpr int repeats = 200;
  const auto strategy = make_balancer("oem");
  const hold_guard still = workers.hold();
  plan planned;
  std::vector<double> times;
  for (int i = 0; i < many; ++i) {
    times.push_back(seconds_of([&] {
                      for (int j = 0; j < repeats; ++j) {
                        const auto loads = still.loads();
                        strategy->make_plan({.graph = workers.topology(), .loads = loads}, planned);
                      }
                    }) /
                    repeats);
  }
  return median_time(times) / workers.workers();
}

struct held_round {
  double seconds = 0;
  double moved = 0;
};

/// Times a round that shares out `tasks` empty tasks, all of which begin on worker 0.
held_round time_round(runtime& workers, load_type tasks) {
  task_group group(workers);
  held_round measured;
  {
    hold_guard still = workers.hold();
    for (load_type i = 0; i < tasks; ++i) group.spawn([] {}, {.home = 0});
    const auto before = still.loads();
    measured.seconds = seconds_of([&] { (void)still.balance(); });
    const auto after = still.loads();
    measured.moved = static_cast<double>(before[0] - after[0]);
  }
  group.wait();
  return measured;
}

/// Seconds for moving one more task in a round: the difference between a large and a small round.
double measure_transfer(runtime& workers) {
  constexpr load_type small = 64;
  constexpr load_type large = 2048;
  std::vector<double> times;
  for (int i = 0; i < many; ++i) {
    const held_round a = time_round(workers, small);
    const held_round b = time_round(workers, large);
    if (b.moved > a.moved) times.push_back((b.seconds - a.seconds) / (b.moved - a.moved));
  }
  return times.empty() ? 0 : std::max(0.0, median_time(times));
}

/// Seconds for running one empty task of the worker's own queue, without other workers that could
/// take it.
double measure_receiving() {
  constexpr int tasks = 2000;
  runtime_options alone;
  alone.workers = 1;
  runtime workers(alone);
  std::vector<double> times;
  workers.run([&] {
    for (int i = 0; i < many; ++i) {
      task_group group;
      for (int j = 0; j < tasks; ++j) group.spawn([] {});
      times.push_back(seconds_of([&] { group.wait(); }) / tasks);
    }
  });
  return median_time(times);
}

struct hand_over {
  double send = 0;
  double latency = 0;
};

/// Measures how worker 0 gives a task to worker 1, which has gone to sleep.
hand_over measure_hand_over(runtime& workers) {
  constexpr std::chrono::milliseconds rest{2};
  constexpr std::chrono::milliseconds patience{100};
  std::vector<double> sends;
  std::vector<double> latencies;
  workers.run([&] {
    for (int i = 0; i < many; ++i) {
      std::this_thread::sleep_for(rest);
      std::atomic<bool> begun{false};
      clock::time_point begins;
      task_group group;
      const auto start = clock::now();
      group.spawn(
          [&] {
            begins = clock::now();
            begun.store(true, std::memory_order_release);  // pairs with the load below
          },
          {.home = 1});
      const auto given = clock::now();
      // acquire: pairs with the store above. A wait here would let this worker take the task back.
      while (!begun.load(std::memory_order_acquire) && clock::now() - given < patience) {
      }
      group.wait();
      const std::chrono::duration<double> send = given - start;
      const std::chrono::duration<double> all = begins - start;
      sends.push_back(send.count());
      latencies.push_back(std::max(0.0, all.count() - send.count()));
    }
  });
  return {median_time(sends), median_time(latencies)};
}

}  // namespace

machine_costs calibrate() {
  // Tasks stay where they are put, except in the rounds that are measured.
  runtime_options options;
  options.balancer = "oem";
  auto started = start_runtime(options);
  if (started->workers() < 2) {
    started.reset();
    options.workers = 2;
    started = start_runtime(options);
  }
  runtime& workers = *started;
  for (int i = 0; i < few; ++i) (void)time_round(workers, 256);  // warm-up
  machine_costs machine;
  machine.workers = workers.workers();
  const hand_over given = measure_hand_over(workers);
  machine.costs.measure = measure_planning(workers);
  machine.costs.send = given.send;
  machine.costs.receive = measure_receiving();
  machine.costs.transfer_send = machine.costs.transfer_receive = measure_transfer(workers) / 2;
  machine.links.latency = given.latency;
  return machine;
}

}  // namespace evencube::cli
