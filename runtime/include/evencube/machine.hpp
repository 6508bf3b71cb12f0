#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// A hardware thread on which the program may run. Within one `machine`, the cores, caches, NUMA
/// nodes and packages of the allowed units are numbered consecutively from 0. These numbers show
/// which units share a component; they are not the operating system's numbers.
struct processing_unit {
  /// The operating system's number for this unit, as used in affinity masks.
  unsigned os_index = 0;
  /// Units with the same value share a core.
  unsigned core = 0;
  /// Units with the same value share a NUMA node.
  unsigned numa_node = 0;
  /// Units with the same value share a second-level cache. If no such cache is reported, units of
  /// the same core have the same value.
  unsigned l2_group = 0;
  /// Units with the same value share a third-level cache. If no such cache is reported, the value
  /// is `l2_group`.
  unsigned l3_group = 0;
  /// Units with the same value share a package.
  unsigned package = 0;
  /// The kind of core, for hybrid machines; 0 is the least capable kind among the allowed units.
  unsigned kind = 0;
  /// The speed of the core when only one of its SMT siblings is busy, relative to the fastest
  /// allowed kind; in (0, 1]. The value comes from the kernel or from the clock frequencies; it is
  /// 1 if unknown.
  double capacity = 1.0;
  /// The position of this unit among the allowed units of its core; 0 for the first.
  unsigned smt_rank = 0;
};

/// The part of a machine that the program may use, and the distances within that part.
struct machine {
  /// The allowed units, ordered so that units close to each other in the machine are adjacent.
  /// Never empty.
  std::vector<processing_unit> units;
  /// The relative distances between NUMA nodes, as reported by the firmware: a square matrix in
  /// row-major order, with one row for each `processing_unit::numa_node`. 10 means local. Empty if
  /// the distances are unknown.
  std::vector<double> numa_distances;
  /// The CPU time that the control group may use (on Windows: the job object), in CPUs; infinite if
  /// there is no quota.
  double quota = std::numeric_limits<double>::infinity();
  /// The number of allowed units or the quota rounded down, whichever is smaller; at least 1.
  unsigned default_workers = 1;
  /// One line that explains the value of `default_workers`, such as "2 workers: 2 processing units
  /// allowed (of 2), no CPU quota".
  std::string reason;
  /// The source of `units`: "hwloc", or the function that reported the units, such as
  /// "sched_getaffinity". Without hwloc, every unit counts as a core of its own on one NUMA node,
  /// except on Windows, which lists cores, caches and NUMA nodes itself.
  std::string source;
};

/// The sources that `discover_machine` reads. The defaults describe this machine.
struct machine_options {
  /// The description of another machine in hwloc's synthetic format, such as "numa:2 core:4 pu:2";
  /// empty if unused.
  std::string synthetic = {};
  /// A file written by `lstopo --of xml` that describes another machine; empty if unused.
  std::string xml = {};
  /// The directory that contains `proc/self` and the control groups. If not set, it is `/` for this
  /// machine, and a machine described by `synthetic` or `xml` has no quota.
  std::optional<std::string> root = std::nullopt;
  /// If false, the operating system alone reports the units: its affinity mask and, on Windows, its
  /// lists of cores, caches and NUMA nodes.
  bool use_hwloc = true;
};

/// Returns the units that the machine, the process's control group and its affinity mask all allow.
/// The result also describes the caches and memory that the units share, and the CPU quota: the
/// smallest quota of all control groups from the process's group up to the root (cgroup versions 1
/// and 2). If hwloc cannot read this machine, the result is the same as if `use_hwloc` is false;
/// the call never fails for this machine. Throws std::invalid_argument if a description
/// (`synthetic` or `xml`) cannot be read, if both are given, or if one is given although the build
/// has no hwloc or `use_hwloc` is false; the message names the value. The first call for this
/// machine takes milliseconds. Later calls reuse what hwloc read, unless the affinity mask or the
/// number of online units has changed. Any thread may call this function.
[[nodiscard]] EVENCUBE_EXPORT machine discover_machine(const machine_options& options = {});

/// Places the workers of a hypercube on the machine. Element k of the result is the unit for worker
/// k, as an index into `hardware.units`. The neighbours of worker k are the workers k XOR 2^i. The
/// rule has four parts:
///
/// 1. Choice of units: the first unit of each core comes before the second (SMT siblings last), and
///    more capable kinds come before less capable kinds. Among equal units, those adjacent in the
///    machine are chosen.
/// 2. Order of units: the units form blocks of 1, 2, 4, ... units. Two blocks of equal size are
///    joined until no two have the same size: first within each core, then within each L2, each L3,
///    each NUMA node, each package, and the whole machine. The block whose first unit is fastest
///    goes first, and its partner is the nearest block by NUMA distance. The two halves of a block
///    differ in one dimension of the cube, so dimension 0 joins the nearest pairs and the highest
///    dimensions cross NUMA nodes. The blocks that remain at the end, one for each bit of the
///    number of workers, follow in order of size.
/// 3. Worker 0, which does the serial work, is on a unit of the fastest kind. If worker 0's block
///    is not the largest, it is swapped with an equally large piece of the largest block.
/// 4. If there are more workers than units, worker k is on the same unit as worker k mod
///    `hardware.units.size()`.
///
/// Throws std::invalid_argument if `workers` is 0 or `hardware.units` is empty. Takes O(n^2) time
/// at worst for n units.
[[nodiscard]] EVENCUBE_EXPORT std::vector<unsigned> place_workers(const machine& hardware,
                                                                  unsigned workers);

/// Determines where a worker's thread may run, relative to the processing unit on which the worker
/// was placed.
enum class pinning {
  /// Only on the worker's unit.
  unit,
  /// On the units of the worker's core. The operating system chooses among SMT siblings.
  core,
  /// On the units that share the worker's last-level cache.
  cache,
  /// On the units of the worker's NUMA node.
  numa,
  /// On every unit allowed for the thread that created the worker's thread.
  none
};

/// Returns the name of `policy`: "unit", "core", "cache", "numa" or "none".
[[nodiscard]] EVENCUBE_EXPORT std::string to_string(pinning policy);
/// Returns the pinning named `text`. If there is none, throws std::invalid_argument; the message
/// contains `text` and the allowed names.
[[nodiscard]] EVENCUBE_EXPORT pinning parse_pinning(const std::string& text);

/// Returns the units on which a worker may run if it is placed on unit `unit` of `hardware.units`.
/// The result contains the operating system's numbers in ascending order. The result is empty for
/// `pinning::none`. Throws std::invalid_argument if there is no such unit. Takes O(units) time.
[[nodiscard]] EVENCUBE_EXPORT std::vector<unsigned> units_to_pin_to(const machine& hardware,
                                                                    unsigned unit, pinning policy);

/// Lets the calling thread run on every unit that the process was given. Intended for threads
/// created inside a task, which inherit the binding of the task's worker. Returns false if the
/// system refuses.
EVENCUBE_EXPORT bool unpin_current_thread() noexcept;

}  // namespace evencube
