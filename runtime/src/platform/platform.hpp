#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

// What the runtime asks of the operating system. Each folder here implements all of it, and the
// build takes one of them (EVENCUBE_PLATFORM). Sleeping and waking, which users' code calls too, is
// declared in <evencube/detail/atomics.hpp> and implemented here.
namespace evencube::detail {

// --- threads

/// True if threads can be bound to processing units.
[[nodiscard]] bool can_bind_threads() noexcept;

/// The operating system's numbers of the processing units on which the calling thread may run,
/// ascending. Empty if the system does not say.
[[nodiscard]] std::vector<unsigned> thread_affinity();

/// The units on which at least one thread of the process may run, ascending: the units that the
/// process was given, even while some of its threads are pinned. Empty if the system does not say.
[[nodiscard]] std::vector<unsigned> process_affinity();

/// How the units of the process are found, for people: the name of a function.
[[nodiscard]] const char* source_of_affinity() noexcept;

/// Restricts the calling thread to these units. False, and nothing changed, if the system refuses
/// (no unit named is online and allowed) or there is no memory for the mask. A system that cannot
/// name all of them at once takes a part.
bool set_thread_affinity(std::span<const unsigned> os_indices) noexcept;

/// True if the system lets the calling thread run on exactly these units, ascending.
[[nodiscard]] bool runs_only_on(std::span<const unsigned> os_indices) noexcept;

/// The system's number of the unit on which the calling thread runs at the moment; negative if the
/// system does not say. Takes tens of nanoseconds, without a system call.
[[nodiscard]] int unit_under_thread() noexcept;

/// The number of units that the operating system has online, at least 1.
[[nodiscard]] unsigned online_units() noexcept;

/// The parts of the machine to which a processing unit belongs. Units with equal numbers share the
/// part. The numbers are in no order, except for those of kinds.
struct place_of_unit {
  unsigned os_index = 0;
  unsigned package = 0;
  unsigned numa_node = 0;
  unsigned l3_group = 0;
  unsigned l2_group = 0;
  unsigned core = 0;
  unsigned kind = 0;  ///< a larger number is a more capable kind of core
};
/// The places of all units. Empty if the system does not say, or if only hwloc says it.
[[nodiscard]] std::vector<place_of_unit> places_of_units();

/// The limit, in CPUs, that the system itself sets for the processor time of the process and of
/// those that share its limit. Empty if there is none. Control groups are no part of it.
[[nodiscard]] std::optional<double> limit_of_job() noexcept;
/// True if the limits of control groups may be found in the file system, below /proc.
[[nodiscard]] bool has_control_groups() noexcept;

/// Gives the calling thread the name PREFIX-SUFFIX, which ps, top and debuggers show. The prefix is
/// cut so that the name fits into the 15 characters that the system keeps.
void name_current_thread(std::string_view prefix, std::string_view suffix) noexcept;

/// Names the clock of the processor time of a thread, for other threads.
using thread_clock = std::int32_t;
/// The clock of no thread.
inline constexpr thread_clock nobodys_clock = -1;

/// The clock of the calling thread; `nobodys_clock` if threads have none.
[[nodiscard]] thread_clock own_clock() noexcept;
/// The processor time in nanoseconds that the thread of this clock has used. Empty if the thread
/// has ended, or if threads have no clocks.
[[nodiscard]] std::optional<std::int64_t> read_clock(thread_clock clock) noexcept;
/// The processor time in nanoseconds that the calling thread has used. Empty if the system does not
/// say.
[[nodiscard]] std::optional<std::int64_t> time_of_thread() noexcept;

/// The part of a thread's stack in which it counts as short.
struct end_of_stack {
  std::uintptr_t low = 0;  ///< the lowest address
  std::size_t little = 0;  ///< the number of bytes from there on; 0 if it is not known
};
/// Returns it for the calling thread, on whose stack `here` is an address.
[[nodiscard]] end_of_stack end_of_own_stack(std::uintptr_t here) noexcept;

// --- the process

/// From now on each `fork` of this process calls `before`, and then `in_parent` and `in_child`.
/// False if the system refuses, or if forks cannot be followed.
bool follow_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

/// A number that no other process of this machine has at the moment.
[[nodiscard]] int process_number() noexcept;

/// The name of the program, without folders, for people.
[[nodiscard]] std::string program_name();

/// The value of an environment variable; null if there is none, or if the program runs with more
/// rights than its caller.
[[nodiscard]] const char* trusted_environment(const char* name) noexcept;

/// The name of the type as people write it, or else the name that the compiler gave it. Implemented
/// once for all platforms.
[[nodiscard]] std::string readable(const std::type_info& type);

// --- files

/// Writes as much of the text as the descriptor takes. May be called in a signal handler, unless
/// the platform's page says otherwise.
void write_all(int descriptor, std::string_view text) noexcept;

enum class file_kind { absent, regular, folder, other };
/// What has this name. `absent` if the system does not say.
[[nodiscard]] file_kind kind_of_file(const std::string& name) noexcept;

/// Gives a file another name, in the place of a file that has it. Returns 0 or an error number.
[[nodiscard]] int rename_file(const std::string& from, const std::string& to) noexcept;

/// A file that is being written. Its functions return 0 or the error number of the system.
class new_file {
 public:
  new_file() = default;
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file() { close(); }

  /// Creates the file. EEXIST if there is one with this name.
  int create(const std::string& name) noexcept;
  int write(std::string_view bytes) noexcept;
  int close() noexcept;

 private:
  static constexpr std::intptr_t none = -1;
  std::intptr_t handle_ = none;
};

}  // namespace evencube::detail
