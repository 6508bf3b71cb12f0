#pragma once

#include <cstddef>
#include <cstdint>

#include <evencube/evencube.hpp>
#include <evencube/workloads/placement.hpp>

namespace evencube::workloads {

/// The runtime's hints for task `index` of a workload placed as `where`; `name` is a literal, for
/// recordings.
[[nodiscard]] inline spawn_options hints(placement where, std::size_t index, const runtime& workers,
                                         std::uint32_t cost = 1, const char* name = nullptr) {
  spawn_options result;
  result.cost = cost;
  result.name = name;
  if (const auto home = home_of(where, index, workers.workers())) {
    result.home = static_cast<std::int64_t>(*home);
  }
  return result;
}

}  // namespace evencube::workloads
