#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>

#include <evencube/trace/trace.hpp>

namespace evencube::traces {

/// Two workers. Task 0 comes from outside, computes 10 us, spawns 1 and 2, waits, computes 5 us.
/// Worker 0 runs task 2 during the wait; task 1 (20 us) moves to worker 1 by round 0. Task 3 comes
/// later from outside and is alone.
inline trace sample_trace() {
  trace t;
  t.workload = "sample";
  t.recorded_at = "2026-01-02 03:04 UTC";
  t.recorded_on = "a processor, 2 processors";
  t.recorded_by = "evencube run sample";
  t.balancer = "oem";
  t.transmission = "direct";
  t.topology = "hypercube:1";
  t.makespan = 60'000;
  t.tasks = {{no_task, 0, 0, 0, 0, 36'000},
             {0, 0, 5'000, 1, 11'000, 31'000},
             {0, 0, 10'000, 0, 10'000, 25'000},
             {no_task, 1, 40'000, 1, 40'000, 60'000}};
  // Task 0 waits for tasks 1 and 2 as a group.
  t.tasks[1].group = t.tasks[2].group = 0;
  t.names = {"tile", "phase", "cells"};
  t.tasks[1].name = t.tasks[2].name = 0;
  t.tasks[3].cost = 3;
  t.regions = {{0, 1, 1'000, 9'000}};
  t.counts = {{1, 2, 20'000, 3.5}, {0, 2, 30'000, -1}};
  t.waits = {{0, 10'000, 31'000, 0}};
  t.migrations = {{1, 10'500, 0, 1, 0}};
  trace::round round;
  round.time = 10'400;
  round.loads = {2, 0};
  round.leader = 1;
  round.service_times = {1e-5, std::numeric_limits<double>::infinity()};
  round.planned.phases = {{{0, 1, 1}}};
  t.rounds = {round};
  return t;
}

/// Writes a trace into a file.
inline void put_trace(const trace& t, const std::filesystem::path& path) {
  std::string content;
  write_trace(t, [&](std::span<const std::uint8_t> bytes) {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace evencube::traces
