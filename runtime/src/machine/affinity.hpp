#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <evencube/machine.hpp>

namespace evencube::detail {

/// The operating system's numbers of the processing units on which the calling thread may run,
/// ascending. Empty if the system does not say.
[[nodiscard]] std::vector<unsigned> thread_affinity();

/// The units on which at least one thread of the process may run, ascending: the units that the
/// process was given, even while some of its threads are pinned. Empty if the system does not say.
[[nodiscard]] std::vector<unsigned> process_affinity();

/// Restricts the calling thread to these units. False, and nothing changed, if the system refuses
/// (no unit named is online and allowed) or there is no memory for the mask.
bool set_thread_affinity(std::span<const unsigned> os_indices) noexcept;

/// Stores the units of this machine for `unpin_current_thread`; only the first call counts.
/// Thread-safe.
void remember_units(const machine& found);

/// Call before `fork`, and `unlock_units` after it, so that no thread is changing the stored units
/// at that moment.
void lock_units() noexcept;
void unlock_units() noexcept;

/// True if the system lets the calling thread run on exactly these units, ascending.
[[nodiscard]] bool runs_only_on(std::span<const unsigned> os_indices) noexcept;

/// The system's number of the unit on which the calling thread runs at the moment; negative if the
/// system does not say. Takes tens of nanoseconds, without a system call.
[[nodiscard]] int unit_under_thread() noexcept;

/// Restricts the calling thread to one unit, like `set_thread_affinity`. Does not use
/// hwloc_set_cpubind, which writes to a null pointer (hwloc 2.9) if it finds no memory for a mask.
bool pin_current_thread(unsigned os_index) noexcept;

/// Remembers where the thread that makes it may run, and restores that when it goes out of scope in
/// the same thread.
class affinity_guard {
 public:
  affinity_guard() : before_(thread_affinity()) {}
  affinity_guard(const affinity_guard&) = delete;
  affinity_guard& operator=(const affinity_guard&) = delete;
  ~affinity_guard() {
    if (!before_.empty()) set_thread_affinity(before_);
  }

 private:
  std::vector<unsigned> before_;
};

/// Gives the calling thread the name PREFIX-SUFFIX, which ps, top and debuggers show. The prefix is
/// cut so that the name fits into the 15 characters that the system keeps.
void name_current_thread(std::string_view prefix, std::string_view suffix) noexcept;

}  // namespace evencube::detail
