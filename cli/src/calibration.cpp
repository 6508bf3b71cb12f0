#include "calibration.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <evencube/balancers/registry.hpp>
#include <evencube/evencube.hpp>
#include <evencube/simulator/presets.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>
#include <vector>

#include "failure.hpp"
#include "measurement.hpp"
#include "number_text.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

using clock = std::chrono::steady_clock;

/// The place of a number in a machine_costs, for reading, writing and telling.
struct entry {
  const char* group;
  const char* name;
  const char* meaning;
  double& (*in)(machine_costs&);
};

constexpr std::array entries{
    entry{"costs", "measure", "reading one worker's load and planning for it",
          [](machine_costs& m) -> double& { return m.costs.measure; }},
    entry{"costs", "send", "handing a task to another worker that sleeps, at the giver",
          [](machine_costs& m) -> double& { return m.costs.send; }},
    entry{"costs", "receive", "taking a task out of the queue and ending it, at the taker",
          [](machine_costs& m) -> double& { return m.costs.receive; }},
    entry{"costs", "transfer_send", "half of moving one task from queue to queue in a round",
          [](machine_costs& m) -> double& { return m.costs.transfer_send; }},
    entry{"costs", "transfer_receive", "the other half",
          [](machine_costs& m) -> double& { return m.costs.transfer_receive; }},
    entry{"links", "latency", "from the hand-over until the worker, woken, begins the task",
          [](machine_costs& m) -> double& { return m.links.latency; }},
    entry{"links", "per_quantum", "nothing: in shared memory processors carry the tasks",
          [](machine_costs& m) -> double& { return m.links.per_quantum; }}};

constexpr int few = 5;
constexpr int many = 41;

/// Reading the loads and planning, per worker. Repeated until a clock sees it.
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

/// A round that shares out `tasks` empty tasks which all begin on worker 0.
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

/// Moving one more task in a round: the difference between a large and a small one.
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

/// Running empty tasks of one's own queue, each, with nobody who could take them.
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

/// Worker 0 gives a task to worker 1, which has gone to sleep.
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
      // acquire: pairs with the store above. Waiting at once would let this worker take it back.
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

/// A file of --calibrate has less than a kilobyte; others are not read to their end.
constexpr std::size_t most_machine_bytes = 65536;

std::string text_of_machine(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error(
        fmt::format("--machine \"{}\": {}; allowed are this, loh and a file that "
                    "`evencube simulate --calibrate --output FILE` wrote",
                    path, why));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("it is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string text(most_machine_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse("it cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_machine_bytes) refuse("it is too long to be such a file");
  return text;
}

machine_costs read_machine(const std::string& path) {
  try {
    const json object = json::parse(text_of_machine(path));
    if (object.at("format") != "evencube-machine" || object.at("version") != 1) {
      throw usage_error(path + ": the format is not evencube-machine, version 1");
    }
    machine_costs machine;
    const json& workers = object.at("workers");
    if (!workers.is_number_unsigned() || workers > std::numeric_limits<std::uint32_t>::max()) {
      throw usage_error(path + ": workers is no whole number");
    }
    machine.workers = workers.get<std::uint32_t>();
    for (const entry& e : entries) {
      const double value = object.at(e.group).at(e.name).get<double>();
      if (!std::isfinite(value) || value < 0) {
        throw usage_error(fmt::format("{}: {}.{} is {}: it must be finite and >= 0", path, e.group,
                                      e.name, value));
      }
      e.in(machine) = value;
    }
    return machine;
  } catch (const json::exception& problem) {
    throw usage_error(path + ": " + problem.what());
  }
}

}  // namespace

machine_costs calibrate() {
  // Tasks stay where they are put but for the rounds that are measured.
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

machine_costs machine_called(const std::string& name) {
  if (name == "this") return calibrate();
  if (name == "loh") return {.costs = simulator::loh_costs(), .links = {}};
  return read_machine(name);
}

void apply(const machine_costs& machine, simulator::model& to) {
  to.costs = machine.costs;
  to.links.latency = machine.links.latency;
  to.links.per_quantum = machine.links.per_quantum;
}

json to_json(const machine_costs& machine) {
  json object{{"format", "evencube-machine"},
              {"version", 1},
              {"unit", "seconds"},
              {"workers", machine.workers}};
  machine_costs copy = machine;
  for (const entry& e : entries) object[e.group][e.name] = e.in(copy);
  return object;
}

std::string to_text(const machine_costs& machine) {
  using enum text_table::alignment;
  text_table table{{{"parameter", left}, {"time", right}, {"what was measured", left}}};
  machine_costs copy = machine;
  for (const entry& e : entries) {
    table.add_row({fmt::format("{}.{}", e.group, e.name), duration_text(e.in(copy)), e.meaning});
  }
  return fmt::format("this machine, {} workers\n\n{}", machine.workers, table.to_string());
}

}  // namespace evencube::cli
