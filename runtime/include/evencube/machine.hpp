#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// One hardware thread the program may run on. The indices of cores, caches, NUMA nodes and
/// packages count from 0 without gaps over the allowed units of one `machine`; they say who shares
/// what and are not the operating system's numbers.
struct processing_unit {
  /// The operating system's number: what an affinity mask takes.
  unsigned os_index = 0;
  unsigned core = 0;
  unsigned numa_node = 0;
  /// Units with the same value share a second-level cache. Where none is described: the core.
  unsigned l2_group = 0;
  /// Units with the same value share a third-level cache. Where none is described: the `l2_group`.
  unsigned l3_group = 0;
  unsigned package = 0;
  /// Kind of core on a hybrid machine, 0 = the least capable kind that is allowed.
  unsigned kind = 0;
  /// Speed relative to the fastest allowed kind, in (0, 1], as the kernel or the clock frequencies
  /// tell it, for a core that is not shared with an SMT sibling; 1 where nothing is known.
  double capacity = 1.0;
  /// How many allowed units of the same core come before this one: 0 for the first of each core.
  unsigned smt_rank = 0;
};

/// What a program may use of the machine, and how near its parts are to one another.
struct machine {
  /// The allowed units, neighbours in the machine side by side. Never empty.
  std::vector<processing_unit> units;
  /// Row-major square matrix, one row per NUMA node (`processing_unit::numa_node`): relative
  /// distances as the firmware tells them, 10 = local. Empty where they are not known.
  std::vector<double> numa_distances;
  /// How many CPUs' worth of time the control group may use; infinite if there is no quota.
  double quota = std::numeric_limits<double>::infinity();
  /// min(number of allowed units, quota rounded up), at least 1.
  unsigned default_workers = 1;
  /// One line that says why `default_workers` is what it is, such as
  /// "2 workers: 2 processing units allowed (of 2), no CPU quota".
  std::string reason;
  /// "hwloc", or "sched_getaffinity" where hwloc is absent or failed; every unit then counts as a
  /// core of its own on one NUMA node.
  std::string source;
};

/// Where `discover_machine` looks. As it is: this machine.
struct machine_options {
  /// Describe another machine in hwloc's synthetic language, such as "numa:2 core:4 pu:2".
  std::string synthetic = {};
  /// Describe another machine by a file that `lstopo --of xml` wrote.
  std::string xml = {};
  /// The directory under which `proc/self` and the control groups stand. Empty: `/` for this
  /// machine; a machine described by `synthetic` or `xml` then has no quota.
  std::optional<std::string> root = std::nullopt;
  /// False: ask only the operating system for the affinity mask.
  bool use_hwloc = true;
};

/// Finds the units that the machine, the control group and the affinity mask of the process all
/// allow, how they share caches and memory, and the control group's CPU quota (version 1 and 2; the
/// smallest from the process's group up to the root). Where hwloc cannot read this machine, falls
/// back to the affinity mask; never fails for this machine.
/// Throws std::invalid_argument, naming the value, for a description (`synthetic`, `xml`) that
/// cannot be read, for two at once, and for one given to a build or a call without hwloc.
/// The first call for this machine takes milliseconds. Later calls reuse what it read with hwloc,
/// unless the affinity mask or the number of units online has changed. May be called from any
/// thread.
[[nodiscard]] EVENCUBE_EXPORT machine discover_machine(const machine_options& options = {});

/// Lays the nodes of a hypercube on the machine: element k is the index into `on.units` of the unit
/// for worker k, whose neighbours are k XOR 2^i. The rule:
///
/// 1. Which units: the first of each core before the second (SMT siblings last), more capable kinds
///    before less capable ones, and among equals side by side in the machine.
/// 2. In which order: blocks of 1, 2, 4, ... units. Within each core, then each L2, each L3, each
///    NUMA node, each package, then the whole machine, two blocks of the same size become one as
///    long as there are two; the one with the fastest first unit goes in front, and its partner is
///    the nearest by NUMA distance. Half a block against the other half is one dimension of the
///    cube, so dimension 0 joins the nearest pairs and the highest dimensions cross NUMA nodes.
///    What remains in the end, one block per bit of the number of workers, stands in order of size.
/// 3. Worker 0, which does what is not parallel, is on a unit of the fastest kind: if its block is
///    not the largest, it changes places with an equal piece of the largest.
/// 4. More workers than units wrap around: worker k is on the unit of worker k mod units.
///
/// Throws std::invalid_argument if `workers` is 0 or `on.units` is empty.
/// O(n^2) at worst for n units.
[[nodiscard]] EVENCUBE_EXPORT std::vector<unsigned> place_workers(const machine& on,
                                                                  unsigned workers);

/// Where the thread of a worker may run, around the processing unit on which it was placed.
enum class pinning {
  /// On that unit alone.
  unit,
  /// On the units of its core: the system chooses among SMT siblings.
  core,
  /// On the units that share its last-level cache.
  cache,
  /// On the units of its NUMA node.
  numa,
  /// Wherever the thread that made it may.
  none
};

/// "unit", "core", "cache", "numa" or "none".
[[nodiscard]] EVENCUBE_EXPORT std::string to_string(pinning policy);
/// Of that name. Throws std::invalid_argument naming the text and what is allowed.
[[nodiscard]] EVENCUBE_EXPORT pinning parse_pinning(const std::string& text);

/// The operating system's numbers of the units on which a worker placed on unit number `unit` of
/// `on.units` may run, ascending; none for `pinning::none`. Throws std::invalid_argument if there
/// is no such unit. O(units).
[[nodiscard]] EVENCUBE_EXPORT std::vector<unsigned> units_to_pin_to(const machine& on,
                                                                    unsigned unit, pinning policy);

/// Lets the calling thread run on every unit that the process was given: for threads made inside of
/// a task, which inherit the binding of the worker that made them. False if the system refuses.
EVENCUBE_EXPORT bool unpin_current_thread() noexcept;

}  // namespace evencube
