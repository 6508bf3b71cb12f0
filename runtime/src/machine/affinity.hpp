#pragma once

#include <vector>

#include <evencube/machine.hpp>

#include "platform/platform.hpp"

namespace evencube::detail {

/// Stores the units of this machine for `unpin_current_thread`; only the first call counts.
/// Thread-safe.
void remember_units(const machine& found);

/// Call before `fork`, and `unlock_units` after it, so that no thread is changing the stored units
/// at that moment.
void lock_units() noexcept;
void unlock_units() noexcept;

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

}  // namespace evencube::detail
