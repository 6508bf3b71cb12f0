/// How long a balancing round takes by the clock, by transmission: many quanta lie at one worker,
/// and one round spreads them over the cube, with every worker standing still or while they run.
/// The transmissions take turns, so that a slow moment of the machine falls on all of them.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <evencube/evencube.hpp>

#include "../common/program.hpp"
#include "../common/spread.hpp"
#include "payload.hpp"

namespace {

using bench::json_of;
using bench::spread;
using bench::summary;
using bench::timed;

struct settings {
  std::vector<unsigned> workers{2, 8, 64};
  unsigned quanta = 10'000;
  unsigned repetitions = 9;
  std::string balancer = "dem";
  bool json = false;
  /// Which tables: of rounds of empty tasks, and of tasks that carry data.
  bool empty = true;
  bool payloads = true;
  bench::payload::settings payload;
};

/// All workers stand still: the leader carries out the plan, and nothing else happens.
double time_held_round(evencube::runtime& rt, unsigned quanta) {
  evencube::task_group group{rt};
  double seconds = 0;
  {
    evencube::hold_guard still = rt.hold();
    for (unsigned i = 0; i < quanta; ++i) group.spawn([] {}, {.home = 0});
    seconds = timed([&] { still.balance(); });
  }
  group.wait();
  return seconds;
}

/// Worker 0 runs a task behind which the others gather; the rest have nothing to do, and run what
/// comes to them.
double time_running_round(evencube::runtime& rt, unsigned quanta) {
  std::atomic<bool> made{false};
  std::atomic<bool> over{false};
  double seconds = 0;
  std::thread leader{[&] {
    while (!made) std::this_thread::yield();
    seconds = timed([&] { static_cast<void>(rt.balance()); });
    over = true;
  }};
  rt.run([&] {
    evencube::task_group group;
    for (unsigned i = 0; i < quanta; ++i) group.spawn([] {});
    made = true;
    while (!over) std::this_thread::yield();
    group.wait();
  });
  leader.join();
  return seconds;
}

struct row {
  unsigned workers;
  bool held;
  std::string transmission;
  spread seconds;
  spread of_direct;  // the time over that of direct in the same turn
};

const std::vector<std::string>& transmissions() {
  static const std::vector<std::string> all{"direct",     "phased",    "overlapped_rounds",
                                            "overlapped", "pipelined", "pipelined:1"};
  return all;
}

std::vector<row> measure(unsigned workers, bool held, const settings& how) {
  evencube::runtime rt{{.workers = workers,
                        .balancer = how.balancer,
                        .mode = evencube::balancer_mode::on_demand,
                        .pulls = false}};
  const std::size_t n = transmissions().size();
  std::vector<std::vector<double>> seconds(n);
  std::vector<std::vector<double>> ratios(n);
  // The first turn warms up and does not count.
  for (unsigned turn = 0; turn <= how.repetitions; ++turn) {
    double direct = 0;
    for (std::size_t i = 0; i < n; ++i) {
      rt.use_balancer(how.balancer, {}, transmissions()[i]);
      const double time =
          held ? time_held_round(rt, how.quanta) : time_running_round(rt, how.quanta);
      if (i == 0) direct = time;
      if (turn == 0) continue;
      seconds[i].push_back(time);
      ratios[i].push_back(time / direct);
    }
  }
  std::vector<row> rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.push_back({workers, held, transmissions()[i], summary(seconds[i]), summary(ratios[i])});
  }
  return rows;
}

void print_json(const std::vector<row>& rows, const std::vector<bench::payload::row>& loaded,
                const settings& how) {
  std::cout << "{\"benchmark\":\"rounds\",\"balancer\":\"" << how.balancer
            << "\",\"quanta\":" << how.quanta << ",\"repetitions\":" << how.repetitions
            << ",\"rounds\":[";
  for (const row& r : rows) {
    std::cout << (&r == rows.data() ? "" : ",") << "{\"workers\":" << r.workers
              << ",\"held\":" << (r.held ? "true" : "false") << ",\"transmission\":\""
              << r.transmission << "\",\"seconds\":" << json_of(r.seconds)
              << ",\"of_direct\":" << json_of(r.of_direct) << "}";
  }
  std::cout << "],\"payloads\":[" << bench::payload::json_of(loaded) << "]}\n";
}

void print_table(const std::vector<row>& rows, const settings& how) {
  std::cout << how.balancer << ", " << how.quanta
            << " quanta at worker 0: a round's microseconds, and over those of direct in the same "
               "turn\n(median [min .. max]; target: at most 3 at 8 and 64 workers)\n"
            << "workers  state    transmission              us   of direct\n"
            << std::fixed;
  for (const row& r : rows) {
    std::cout << std::setw(7) << r.workers << "  " << std::left << std::setw(9)
              << (r.held ? "held" : "running") << std::setw(18) << r.transmission << std::right
              << std::setprecision(0) << std::setw(10) << r.seconds.median * 1e6
              << std::setprecision(2) << std::setw(8) << r.of_direct.median << " ["
              << r.of_direct.min << " .. " << r.of_direct.max << "]\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings how;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool valued = i + 1 < argc;
    if (word == "--json") {
      how.json = true;
    } else if (word == "--tiny") {
      how.workers = {2, 8};
      how.quanta = 100;
      how.repetitions = 2;
      how.payload.kib = {1, 16};
      how.payload.ranks = {2};
      how.payload.repetitions = 1;
    } else if (word == "--payloads") {
      how.empty = false;
    } else if (word == "--no-payloads") {
      how.payloads = false;
    } else if (word == "--kib" && valued) {
      how.payload.kib = {static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 1, 65536))};
    } else if (word == "--balancer" && valued) {
      how.balancer = how.payload.balancer = argv[++i];
    } else if (word == "--workers" && valued) {
      how.workers = {static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 2, 1024))};
      how.payload.workers = how.workers.front();
    } else if (word == "--quanta" && valued) {
      how.quanta = static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 1, 10'000'000));
    } else if (word == "--repetitions" && valued) {
      how.repetitions = static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 1, 1000));
      how.payload.repetitions = how.repetitions;
    } else {
      std::cerr << "rounds: \"" << word
                << "\" is not understood; allowed are --json, --tiny, --payloads, "
                   "--no-payloads, --balancer NAME, --workers 2..1024, --quanta 1..10000000, --kib "
                   "1..65536, --repetitions 1..1000\n";
      return 2;
    }
  }
  try {
    std::vector<row> rows;
    for (const unsigned workers : how.empty ? how.workers : std::vector<unsigned>{}) {
      for (const bool held : {true, false}) {
        for (row& r : measure(workers, held, how)) rows.push_back(std::move(r));
      }
    }
    std::vector<bench::payload::row> loaded;
    if (how.payloads) loaded = bench::payload::between_workers(how.payload);
    if (how.json) {
      print_json(rows, loaded, how);
    } else {
      if (how.empty) print_table(rows, how);
      if (how.empty && how.payloads) std::cout << '\n';
      if (how.payloads) bench::payload::print(loaded, how.payload);
    }
  } catch (const std::invalid_argument& problem) {
    std::cerr << "rounds: " << problem.what() << '\n';
    return 2;
  }
  return 0;
}
