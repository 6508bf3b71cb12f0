#pragma once

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/global_control.hpp>
#include <evencube/machine.hpp>

namespace evencube::tbb {

/// The number of a NUMA node, as in `processing_unit::numa_node`; -1 means any node.
using numa_node_id = int;
/// The number of a core type, as in `processing_unit::kind`, with the least capable type first; -1
/// means any type.
using core_type_id = int;

namespace detail {

/// The processing units that an arena should run on. They determine only the arena's number of
/// workers, because the default runtime's workers are bound to units of the whole machine.
struct constraints {
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  constraints(numa_node_id node = -1, int concurrency = -1)
      : numa_id(node), max_concurrency(concurrency) {}
  constraints& set_numa_id(numa_node_id node) {
    numa_id = node;
    return *this;
  }
  constraints& set_max_concurrency(int concurrency) {
    max_concurrency = concurrency;
    return *this;
  }
  constraints& set_core_type(core_type_id type) {
    core_type = type;
    return *this;
  }
  constraints& set_max_threads_per_core(int threads) {
    max_threads_per_core = threads;
    return *this;
  }

  numa_node_id numa_id;
  int max_concurrency;
  core_type_id core_type = -1;
  int max_threads_per_core = -1;
};

inline const machine& this_machine() {
  static const machine found = discover_machine();
  return found;
}

}  // namespace detail

namespace info {

/// Returns the NUMA nodes on which the program may run.
[[nodiscard]] inline std::vector<numa_node_id> numa_nodes() {
  std::set<numa_node_id> nodes;
  for (const processing_unit& unit : detail::this_machine().units) {
    nodes.insert(static_cast<numa_node_id>(unit.numa_node));
  }
  return {nodes.begin(), nodes.end()};
}
/// Returns the core types on which the program may run, the least capable type first.
[[nodiscard]] inline std::vector<core_type_id> core_types() {
  std::set<core_type_id> kinds;
  for (const processing_unit& unit : detail::this_machine().units) {
    kinds.insert(static_cast<core_type_id>(unit.kind));
  }
  return {kinds.begin(), kinds.end()};
}
/// Returns the number of workers for an arena with these constraints: the number of matching units,
/// but at most the number of workers that a runtime without limits has.
[[nodiscard]] inline int default_concurrency(const detail::constraints& wanted) {
  if (wanted.max_concurrency > 0) return wanted.max_concurrency;
  const auto usual = static_cast<int>(detail::usual_workers());
  if (wanted.numa_id < 0 && wanted.core_type < 0 && wanted.max_threads_per_core < 0) return usual;
  const auto fits = [&](const processing_unit& unit) {
    return (wanted.numa_id < 0 || static_cast<int>(unit.numa_node) == wanted.numa_id) &&
           (wanted.core_type < 0 || static_cast<int>(unit.kind) == wanted.core_type) &&
           (wanted.max_threads_per_core < 0 ||
            static_cast<int>(unit.smt_rank) < wanted.max_threads_per_core);
  };
  const auto& units = detail::this_machine().units;
  const auto number = static_cast<int>(std::count_if(units.begin(), units.end(), fits));
  return (std::clamp)(number, 1, usual);
}
/// Returns the number of workers for a NUMA node or, if no node is given, for a runtime.
[[nodiscard]] inline int default_concurrency(numa_node_id node = -1) {
  return info::default_concurrency(detail::constraints(node));
}

}  // namespace info

}  // namespace evencube::tbb
