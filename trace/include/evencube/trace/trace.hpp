#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/trace/machine_costs.hpp>

namespace evencube::traces {

/// The index of a task in its trace.
using task_id = std::uint32_t;
inline constexpr task_id no_task = ~task_id{0};
inline constexpr node_id no_home = ~node_id{0};
inline constexpr std::uint32_t no_group = ~std::uint32_t{0};
inline constexpr std::uint32_t no_name = ~std::uint32_t{0};
/// The largest cost of a task, which is also the limit of `spawn_options::cost`.
inline constexpr std::uint32_t most_task_cost = std::uint32_t{1} << 16;

/// The name of the strategy under which idle workers steal tasks at random and no plans are made.
/// No balancer is registered under this name.
inline constexpr const char* random_stealing = "random_stealing";

/// A run on real threads: every task, wait, migration and balancing round. Times are nanoseconds
/// since the start of the recording. Task numbers follow no particular order.
struct trace {
  /// A task that was spawned and ended during the recording.
  struct task {
    task_id parent = no_task;  ///< the task that spawned this task; no_task: spawned from outside
    std::uint32_t spawned_by = 0;  ///< the worker that spawned the task; from outside: its home
    std::uint64_t spawned = 0;
    std::uint32_t worker = 0;   ///< the worker that ran the task
    std::uint64_t started = 0;  ///< >= spawned
    std::uint64_t ended = 0;    ///< >= started
    /// The worker to whose queue the spawn sent the task; no_home means the spawning worker.
    node_id home = no_home;
    /// The number of the group whose waits include the task; it is below the number of tasks. With
    /// no_group, only its parent's waits for all tasks include the task.
    std::uint32_t group = no_group;
    std::uint32_t name = no_name;  ///< index in `names`; no_name: nothing is known
    /// The quanta for which the task counted in the load of a queue, from 1 to most_task_cost.
    std::uint32_t cost = 1;
    friend bool operator==(const task&, const task&) = default;
  };

  /// A wait of a task for a group, or for all tasks that the task had spawned. During the wait, the
  /// worker ran other tasks or slept.
  struct wait {
    task_id waiting = no_task;
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
    std::uint32_t group = no_group;  ///< no_group: all tasks spawned so far
    friend bool operator==(const wait&, const wait&) = default;
  };

  /// A move of a task from one worker to another.
  struct migration {
    task_id moved = no_task;
    std::uint64_t time = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    /// The round that planned the migration; `unplanned` if a worker took the task on its own.
    std::uint32_t round = 0;
    static constexpr std::uint32_t unplanned = ~std::uint32_t{0};
    /// The value of `round` for a rescue: no worker was serving the task's queue.
    static constexpr std::uint32_t rescued = unplanned - 1;
    friend bool operator==(const migration&, const migration&) = default;
  };

  /// A round of balancing, or one activation of an event-driven strategy.
  struct round {
    std::uint64_t time = 0;
    std::vector<load_type> loads;  ///< the loads that the balancer saw, one for each worker
    std::uint64_t seed = 0;
    std::optional<node_id> initiator;  ///< the activated worker; empty: a round of all workers
    plan planned;
    std::vector<double> capacities;     ///< relative speeds that the balancer saw; empty: equal
    std::vector<double> service_times;  ///< service times that the balancer saw; empty: none
    std::optional<node_id> leader;      ///< the worker that led the round; empty: another thread
    /// The cost of each queued task if all costs were equal, otherwise 1. The balancer counted
    /// tasks in this unit. The loads and the plan's amounts are multiples of this unit.
    load_type unit = 1;
    friend bool operator==(const round&, const round&) = default;
  };

  /// A part of a task, named by the program.
  struct region {
    task_id within = 0;
    std::uint32_t name = 0;   ///< index in `names`
    std::uint64_t began = 0;  ///< not before its task started
    std::uint64_t ended = 0;  ///< >= began, not after its task ended
    friend bool operator==(const region&, const region&) = default;
  };

  /// A value that the program assigned to a counter.
  struct count {
    std::uint32_t worker = 0;  ///< the worker that reported the value
    std::uint32_t name = 0;    ///< index in `names`
    std::uint64_t time = 0;    ///< not after the makespan
    double value = 0;          ///< finite
    friend bool operator==(const count&, const count&) = default;
  };

  std::string workload;
  // The time, machine and command of the recording, in words; empty if unknown.
  std::string recorded_at;
  std::string recorded_on;
  std::string recorded_by;
  std::string balancer = "none";
  balancer_options options;
  std::string transmission = "direct";
  /// The runtime's mode, which determined the thread that planned: `thread`, `on_idle` or
  /// `on_demand`.
  std::string mode = "on_idle";
  std::uint64_t period = 0;    ///< time between the balancer thread's timed rounds; 0: none
  load_type threshold = 256;   ///< quanta in a queue above which its worker requested a round
  bool pulls = true;           ///< idle workers took tasks from others on their own
  bool largest_first = false;  ///< workers began the largest of their tasks first
  std::string topology;        ///< a network, as for topology::parse, whose nodes are the workers
  std::vector<double> capacities;       ///< empty, or one per worker
  machine_costs costs = nominal_costs;  ///< costs of the machine that recorded the run
  std::uint64_t makespan = 0;
  bool cut = false;  ///< recorded only up to the makespan, because memory ran out

  std::vector<task> tasks;
  std::vector<wait> waits;
  std::vector<migration> migrations;
  std::vector<round> rounds;
  std::vector<region> regions;
  std::vector<count> counts;
  std::vector<std::string> names;  ///< names of tasks, regions and counters; may hold any bytes

  friend bool operator==(const trace&, const trace&) = default;
};

/// Thrown if a trace file cannot be read. The message names the file, the position in bytes and the
/// error.
class EVENCUBE_EXPORT trace_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A function that receives the next bytes of a file.
using byte_sink = std::function<void(std::span<const std::uint8_t>)>;

/// Writes a trace piece by piece to `to`. Format, version 3: the eight bytes "EVCTRACE", the
/// version, then blocks. A block consists of a kind (four letters), the length of its payload, the
/// CRC-32 of its payload (zlib) and the payload, which is one CBOR object (RFC 8949). Integers
/// outside payloads have 32 bits, little-endian. The kinds come in this order: HEAD (workload,
/// balancer, ..., counts), NAME, TASK, WAIT, MOVE, RNDS, REGN, CNTS, and END. with an empty object.
/// NAME to CNTS may be repeated; each block has up to 65536 entries, stored as one array per
/// column. docs/recording.md lists the columns. Throws trace_error if the trace is inconsistent,
/// and the exceptions of `to`.
EVENCUBE_EXPORT void write_trace(const trace& recorded, const byte_sink& to);

/// Writes a trace like `write_trace`, but packed as one gzip member (RFC 1952), which takes about
/// half as many bytes. Equal traces give equal bytes.
EVENCUBE_EXPORT void write_packed_trace(const trace& recorded, const byte_sink& to);

/// Reads a trace, packed or not, and checks it as validate() does. Throws trace_error for a file
/// that cannot be opened, is not a trace, is damaged, or ends too early. The version must be 3 or
/// 2; version 2 has no names, regions or counters. Uses at most 64 MiB of memory plus eight times
/// the size of the file; a file that needs more is refused. For a packed file, the unpacked size
/// counts; it may be at most 256 MiB and at most 64 times the packed size plus 1 MiB.
[[nodiscard]] EVENCUBE_EXPORT trace read_trace(const std::filesystem::path& path);

/// Reads a trace from `size` bytes of a stream, packed or not, and checks it as validate() does.
/// Every error message begins with `name`. Throws trace_error in the same cases as `read_trace` for
/// a file.
[[nodiscard]] EVENCUBE_EXPORT trace read_trace(std::istream& from, std::uint64_t size,
                                               const std::string& name);

/// The limits of a trace: the maximum numbers of workers and names, the latest time (2^53
/// nanoseconds, or 104 days) and the maximum length of a name in bytes.
inline constexpr std::uint64_t most_trace_workers = 65536;
inline constexpr std::uint64_t latest_trace_time = std::uint64_t{1} << 53;
inline constexpr std::size_t most_trace_names = 65536;
inline constexpr std::size_t longest_trace_name = 1024;

/// Checks all rules that readers of a trace rely on. Every name index is valid. Parents exist, and
/// no task descends from itself. Times are in order and not after the makespan. Workers are nodes
/// of the topology. Every wait is within its task and for a group that has tasks. Each round has
/// valid inputs and a valid plan. There are at most `most_trace_names` names of at most
/// `longest_trace_name` bytes, and regions are within their tasks. Throws std::invalid_argument,
/// whose message names the first entry that breaks a rule. O(entries).
EVENCUBE_EXPORT void validate(const trace& recorded);

}  // namespace evencube::traces
