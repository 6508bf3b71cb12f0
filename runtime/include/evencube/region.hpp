#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/compiler.hpp>

namespace evencube {

namespace detail {

/// Recordings under way in this process: as long as there are none, nobody need look further.
EVENCUBE_EXPORT extern constinit std::atomic<std::uint32_t> recordings;

/// Into the log of the worker that the calling thread is, if that is being recorded.
[[gnu::cold]] EVENCUBE_EXPORT void note_region(const char* name, bool begins) noexcept;
[[gnu::cold]] EVENCUBE_EXPORT void note_count(const char* name, double value) noexcept;

}  // namespace detail

/// A part of a task with a name, from here to the end of the scope, that a recording of the runtime
/// shows (docs/recording.md). One task begins and ends it: in a coroutine it must not stand across
/// a `co_await`. Regions nest. Within a `blocking` scope and in threads that are no workers it does
/// nothing. Never throws or waits. While nothing is recorded it costs a load and a branch; else
/// 24 bytes of the recording's memory at either end.
class region {
 public:
  /// `name` is not copied before the recording ends: a literal, or what lives as long.
  explicit region(const char* name) noexcept {
    // Relaxed: what the recording needs to begin is passed on by the worker's own log.
    if (detail::recordings.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      name_ = name;
      detail::note_region(name, true);
    }
  }
  region(const region&) = delete;
  region& operator=(const region&) = delete;
  ~region() {
    if (name_ != nullptr) [[unlikely]] {
      detail::note_region(name_, false);
    }
  }

 private:
  const char* name_ = nullptr;
};

/// The counter `name` is `value` now, as far as the calling task's worker knows: a curve of the
/// recording, one for each name. The rules, and the costs, are those of a region's beginning. A
/// value that is not finite is left out.
inline void count(const char* name, double value) noexcept {
  if (detail::recordings.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    detail::note_count(name, value);
  }
}

}  // namespace evencube
