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

/// Index of a task in its trace.
using task_id = std::uint32_t;
inline constexpr task_id no_task = ~task_id{0};
inline constexpr node_id no_home = ~node_id{0};
inline constexpr std::uint32_t no_group = ~std::uint32_t{0};
inline constexpr std::uint32_t no_name = ~std::uint32_t{0};
/// The runtime's `spawn_options::cost` may be no more.
inline constexpr std::uint32_t most_task_cost = std::uint32_t{1} << 16;

/// The strategy that idle workers follow instead of plans; no balancer is registered so.
inline constexpr const char* random_stealing = "random_stealing";

/// What one run on real threads did: every task, every wait, every migration, every balancing
/// round. Times are nanoseconds since the start of the recording. Tasks are numbered in any order.
struct trace {
  struct task {
    task_id parent = no_task;      ///< no_task: spawned from outside
    std::uint32_t spawned_by = 0;  ///< the worker that spawned it; for one from outside, its home
    std::uint64_t spawned = 0;
    std::uint32_t worker = 0;   ///< the worker that ran it
    std::uint64_t started = 0;  ///< >= spawned
    std::uint64_t ended = 0;    ///< >= started
    /// The worker in whose queue it began; no_home: that of its spawner.
    node_id home = no_home;
    /// What a wait for it waits for, below the number of tasks; no_group: only its parent's waits
    /// for all tasks.
    std::uint32_t group = no_group;
    std::uint32_t name = no_name;  ///< in `names`; no_name: nothing is known of it
    /// Quanta for which it counted in the load of a queue, from 1 to most_task_cost.
    std::uint32_t cost = 1;
    friend bool operator==(const task&, const task&) = default;
  };

  /// A task waited for a group, or for all tasks it had spawned; its worker ran others meanwhile,
  /// or parked.
  struct wait {
    task_id waiting = no_task;
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
    std::uint32_t group = no_group;  ///< no_group: all tasks spawned so far
    friend bool operator==(const wait&, const wait&) = default;
  };

  struct migration {
    task_id moved = no_task;
    std::uint64_t time = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    /// The round that planned it; `unplanned` if a worker took it by itself.
    std::uint32_t round = 0;
    static constexpr std::uint32_t unplanned = ~std::uint32_t{0};
    /// In place of a round: nobody looked after the task where it was.
    static constexpr std::uint32_t rescued = unplanned - 1;
    friend bool operator==(const migration&, const migration&) = default;
  };

  struct round {
    std::uint64_t time = 0;
    std::vector<load_type> loads;  ///< what the balancer saw, one per worker
    std::uint64_t seed = 0;
    std::optional<node_id> initiator;  ///< what the balancer was told
    plan planned;
    std::vector<double> capacities;     ///< what the balancer was told; empty: all alike
    std::vector<double> service_times;  ///< what the balancer was told; empty: nothing
    std::optional<node_id> leader;      ///< the worker that led it; else a thread of its own
    friend bool operator==(const round&, const round&) = default;
  };

  /// A part of a task that its program gave a name.
  struct region {
    task_id within = 0;
    std::uint32_t name = 0;   ///< in `names`
    std::uint64_t began = 0;  ///< not before its task
    std::uint64_t ended = 0;  ///< >= began, not after its task
    friend bool operator==(const region&, const region&) = default;
  };

  /// What a counter of the program was.
  struct count {
    std::uint32_t worker = 0;  ///< the one that said so
    std::uint32_t name = 0;    ///< in `names`
    std::uint64_t time = 0;    ///< not after the makespan
    double value = 0;          ///< finite
    friend bool operator==(const count&, const count&) = default;
  };

  std::string workload;
  std::string balancer = "none";
  balancer_options options;
  std::string transmission = "direct";
  /// Who planned: `thread`, `on_idle` or `on_demand`, as the runtime's modes.
  std::string mode = "on_idle";
  std::uint64_t period = 0;        ///< of a thread's clock; 0: it had none
  load_type threshold = 256;       ///< quanta in a queue above which its worker called for a round
  bool pulls = true;               ///< idle workers took tasks from others by themselves
  bool largest_first = false;      ///< workers began the largest of their tasks first
  std::string topology;            ///< text of topology::parse; its nodes are the workers
  std::vector<double> capacities;  ///< empty or one per worker
  machine_costs costs = nominal_costs;  ///< of the machine that recorded
  std::uint64_t makespan = 0;
  bool cut = false;  ///< recorded only up to the makespan: memory was used up

  std::vector<task> tasks;
  std::vector<wait> waits;
  std::vector<migration> migrations;
  std::vector<round> rounds;
  std::vector<region> regions;
  std::vector<count> counts;
  std::vector<std::string> names;  ///< of tasks, regions and counters; any bytes

  friend bool operator==(const trace&, const trace&) = default;
};

/// A trace file that cannot be read: the message names the file, the byte and what is wrong there.
class EVENCUBE_EXPORT trace_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Takes the next bytes of a file.
using byte_sink = std::function<void(std::span<const std::uint8_t>)>;

/// Gives a trace, piece by piece, to whoever writes it. Format, version 3: the eight bytes
/// "EVCTRACE", the version, then blocks. A block is a kind (four letters), the length of its
/// payload, the CRC-32 of its payload (zlib) and the payload, one object in CBOR (RFC 8949);
/// integers outside payloads are 32 bits, little-endian. Kinds in this order: HEAD (workload,
/// balancer, ..., counts), then NAME, TASK, WAIT, MOVE, RNDS, REGN and CNTS, each any number of
/// times with up to 65536 entries as one array per column, and END. with nothing; docs/recording.md
/// has the columns. Throws trace_error if the trace is inconsistent, and what `to` throws.
EVENCUBE_EXPORT void write_trace(const trace& recorded, const byte_sink& to);

/// The same packed as one gzip member (RFC 1952), about half as many bytes; the same ones for
/// the same trace.
EVENCUBE_EXPORT void write_packed_trace(const trace& recorded, const byte_sink& to);

/// Reads a trace, packed or not, and checks it as validate() does. Throws trace_error for a file
/// that cannot be opened, is no trace, has a version that is neither 2 (which has no names, regions
/// and counters) nor 3, is damaged, or ends too early. Takes at most 64 MiB and eight times the
/// bytes of the file; a file that would need more is refused. Of a packed one the bytes that it
/// unpacks to count, at most 256 MiB and 64 times its own and one mebibyte.
[[nodiscard]] EVENCUBE_EXPORT trace read_trace(const std::filesystem::path& path);

/// The same for `size` bytes of a stream; `name` begins every message.
[[nodiscard]] EVENCUBE_EXPORT trace read_trace(std::istream& from, std::uint64_t size,
                                               const std::string& name);

/// A trace has no more workers and no later time: 2^53 nanoseconds are 104 days.
inline constexpr std::uint64_t most_trace_workers = 65536;
inline constexpr std::uint64_t latest_trace_time = std::uint64_t{1} << 53;
inline constexpr std::size_t most_trace_names = 65536;
inline constexpr std::size_t longest_trace_name = 1024;

/// Checks everything that a reader of the trace may rely on: names are known; parents exist, and no
/// task descends from itself; times are in order and not after the makespan; workers are nodes of
/// the topology; every wait lies within its task and is for a group that has tasks; rounds are what
/// a planner may see and plan; there are at most `most_trace_names` names, none longer than
/// `longest_trace_name` bytes, and regions lie within their tasks. Throws std::invalid_argument
/// naming the first entry that breaks a rule. O(entries).
EVENCUBE_EXPORT void validate(const trace& recorded);

}  // namespace evencube::traces
