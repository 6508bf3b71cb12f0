#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/trace/trace.hpp>

#include "splitmix.hpp"

namespace evencube::lab {

/// A recording on a network with rounds that a balancer planned from drawn loads.
inline traces::trace made_recording(const std::string& network, const std::string& balancer,
                                    std::size_t rounds, std::uint64_t seed = 1) {
  const auto graph = topology::parse(network);
  const auto planner = make_balancer(balancer);
  splitmix draw(seed);
  traces::trace made;
  made.workload = "drawn";
  made.recorded_at = "2026-01-02 03:04 UTC";
  made.balancer = balancer;
  made.topology = network;
  for (std::size_t i = 0; i < rounds; ++i) {
    traces::trace::round one;
    one.time = 1000 * i + draw.below(1000);
    for (node_id k = 0; k < graph.nodes(); ++k) {
      one.loads.push_back(static_cast<load_type>(draw.below(60)));
    }
    one.seed = draw.below(1000);
    planner->make_plan({.graph = graph, .loads = one.loads, .seed = one.seed}, one.planned);
    made.rounds.push_back(std::move(one));
  }
  made.makespan = 1000 * rounds + 1000;
  made.tasks = {{traces::no_task, 0, 0, 0, 0, 500}, {0, 0, 100, 0, 200, 400}};
  if (graph.nodes() > 1 && rounds > 0) {
    const auto rescued = traces::trace::migration::rescued;
    made.migrations = {{1, 150, 0, 1, static_cast<std::uint32_t>(rounds - 1)},
                       {1, 160, 1, 0, traces::trace::migration::unplanned},
                       {1, 170, 0, 1, traces::trace::migration::unplanned},
                       {1, 180, 1, 0, rescued}};
  }
  return made;
}

/// The bytes of the file of a recording.
inline std::string file_of(const traces::trace& recorded, bool packed = false) {
  std::string file;
  const auto append = [&](std::span<const std::uint8_t> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (packed) {
    write_packed_trace(recorded, append);
  } else {
    write_trace(recorded, append);
  }
  return file;
}

}  // namespace evencube::lab
