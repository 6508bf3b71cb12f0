#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <evencube/machine.hpp>

namespace evencube::detail {

/// The operating system's numbers of the processing units the calling thread may run on, ascending.
/// Empty if the system does not tell.
[[nodiscard]] std::vector<unsigned> thread_affinity();

/// The units that at least one thread of the process may run on, ascending: what the process was
/// given, even while some of its threads are pinned. Empty if the system does not tell.
[[nodiscard]] std::vector<unsigned> process_affinity();

/// Restricts the calling thread to these units. False, and nothing changed, if the system refuses
/// (no unit named is online and allowed) or there is no memory for the mask.
bool set_thread_affinity(std::span<const unsigned> os_indices) noexcept;

/// Keeps the units of this machine for `unpin_current_thread`; the first call counts. Thread-safe.
void remember_units(const machine& found);

/// Around `fork`, so that nobody has what `remember_units` keeps in the middle of a change.
void lock_units() noexcept;
void unlock_units() noexcept;

/// Whether the system lets the calling thread run on these units, ascending, and no other.
[[nodiscard]] bool runs_only_on(std::span<const unsigned> os_indices) noexcept;

/// The system's number of the unit that the calling thread runs on at the moment; negative if the
/// system does not tell. Tens of nanoseconds, no system call.
[[nodiscard]] int unit_under_thread() noexcept;

/// Restricts the calling thread to one unit, as set_thread_affinity does. Not by
/// hwloc_set_cpubind, which writes to a null pointer (hwloc 2.9) if it finds no memory for a mask.
bool pin_current_thread(unsigned os_index) noexcept;

/// Remembers where the thread that makes it may run and puts that back when it goes out of scope,
/// in the same thread.
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

/// Gives the calling thread the name PREFIX-SUFFIX that ps, top and debuggers show; the prefix is
/// cut so that the 15 characters are enough which the system keeps.
void name_current_thread(std::string_view prefix, std::string_view suffix) noexcept;

}  // namespace evencube::detail
