#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/former.hpp>

namespace evencube {

namespace detail {

/// The number of recordings in progress in this process. While it is 0, regions and counters check
/// nothing else.
EVENCUBE_EXPORT extern constinit std::atomic<std::uint32_t> recordings;

/// Writes to the calling worker's log if the worker is being recorded.
[[gnu::cold]] EVENCUBE_EXPORT void note_region(const char* name, bool begins) noexcept;
[[gnu::cold]] EVENCUBE_EXPORT void note_count(const char* name, double value) noexcept;

}  // namespace detail

/// A named part of a task, from the construction of this object to its destruction. Recordings of
/// the runtime show the region (docs/recording.md). A region must begin and end in the same task,
/// so in a coroutine it must not live across a `co_await`. Regions can be nested. Within a
/// `blocking` scope, and on threads that are not workers, a region does nothing. A region never
/// throws or waits. Without a recording, a region costs a load and a branch. During a recording,
/// its beginning and its end each take 24 bytes of the recording's memory.
class [[nodiscard]] trace_region {
 public:
  /// Begins a region. `name` is not copied until the recording ends, so it must be a literal or
  /// remain valid until then.
  explicit trace_region(const char* name) noexcept {
    // Relaxed, because a recording that begins gets what it needs through the worker's own log.
    if (detail::recordings.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      name_ = name;
      detail::note_region(name, true);
    }
  }
  trace_region(const trace_region&) = delete;
  trace_region& operator=(const trace_region&) = delete;
  /// Ends the region.
  ~trace_region() {
    if (name_ != nullptr) [[unlikely]] {
      detail::note_region(name_, false);
    }
  }

 private:
  const char* name_ = nullptr;
};

/// Records that the counter `name` now has the value `value`, on the calling task's worker. A
/// recording shows one curve per name. `name` must be a literal or remain valid until the recording
/// ends. Non-finite values are ignored. Within a `blocking` scope, and on threads that are not
/// workers, the call does nothing. It never throws or waits. Without a recording, the call costs a
/// load and a branch; during a recording it takes 24 bytes of the recording's memory.
inline void trace_counter(const char* name, double value) noexcept {
  if (detail::recordings.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    detail::note_count(name, value);
  }
}

/// The former name of `trace_region`.
using region EVENCUBE_FORMER("use trace_region") = trace_region;
/// The former name of `trace_counter`.
EVENCUBE_FORMER("use trace_counter") inline void count(const char* name, double value) noexcept {
  evencube::trace_counter(name, value);
}

}  // namespace evencube
