#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace evencube::detail {

/// What is known of the calls of `run` on worker 0, by their functions. Two readings of the clock
/// take longer than everything else in a short call, so most calls of a function that is short and
/// called again at once are not timed: they count as long as the last one that was (invariant
/// seat.timed). Used by the occupant of the caller's seat alone. Times are in nanoseconds.
class brief_runs {
 public:
  /// Only calls this short, with pauses this short between them, are not timed.
  static constexpr std::int64_t brief_ns = 1'000;
  /// Another worker cannot help with a call this short: it would come too late. A call for which
  /// one was woken may be as short below the second time, most of which the waking takes.
  static constexpr std::int64_t alone_ns = 4'000;
  static constexpr std::int64_t maybe_alone_ns = 30'000;
  /// The number of calls for which a worker is woken after one without that was not so short.
  static constexpr unsigned woken_again = 64;
  /// What the function did in this number of timed calls in a row is expected of it.
  static constexpr unsigned needed = 3;
  /// The number of calls between two timed ones.
  static constexpr unsigned between = 127;

  /// Called when a call of `function` begins. Returns true if it need not be timed. Otherwise
  /// `timed` must follow, and `ended` when the call ends.
  [[nodiscard]] bool begin(const void* function) noexcept {
    known& here = at(function);
    now_ = &here;
    if (here.function != function) here = {.function = function};
    began_ = 0;
    if (here.untimed == 0 || &here != last_) return false;
    --here.untimed;
    ++left_out_;
    return true;
  }
  /// Called when a call that is timed begins at `now`, where the last timed one ended at `since`.
  /// Returns how much of the time between took calls that were not timed.
  [[nodiscard]] std::int64_t timed(std::int64_t now, std::int64_t since) noexcept {
    const std::int64_t all = (std::max)(now - since, std::int64_t{0});
    const std::int64_t busy =
        last_ == nullptr ? 0 : (std::min)(all, std::int64_t{left_out_} * last_->took);
    pause_ = (all - busy) / (std::int64_t{left_out_} + 1);
    left_out_ = 0;
    last_ = nullptr;
    began_ = now;
    return busy;
  }
  /// True if the call under way is timed.
  [[nodiscard]] bool is_timed() const noexcept { return began_ != 0; }
  /// True if the call under way is expected to end before another worker could help.
  [[nodiscard]] bool alone() const noexcept { return now_->alone >= needed; }
  /// Called when a call that is timed ends at `now`.
  void ended(std::int64_t now) noexcept {
    known& here = *now_;
    here.took = now - began_;
    if (here.alone >= needed) {
      if (here.took >= alone_ns) {
        here.alone = 0;
        here.woken = woken_again;
      }
    } else if (here.woken != 0) {
      --here.woken;
    } else {
      here.alone = here.took < maybe_alone_ns ? here.alone + 1 : 0;
    }
    here.brief = here.took < brief_ns && pause_ < brief_ns ? (std::min)(here.brief + 1, needed) : 0;
    here.untimed = here.brief == needed ? between : 0;
    last_ = &here;
  }

 private:
  struct known {
    const void* function = nullptr;
    std::int64_t took = 0;
    unsigned alone = 0;
    unsigned woken = 0;
    unsigned brief = 0;
    unsigned untimed = 0;  // the number of calls that need not be timed
  };

  known& at(const void* function) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    return known_[(address >> 4 ^ address >> 8) % known_.size()];
  }

  std::array<known, 8> known_{};
  known* now_ = known_.data();  // the function of the call under way
  known* last_ = nullptr;       // the function of the last call that was timed and has ended
  unsigned left_out_ = 0;       // calls since then
  std::int64_t began_ = 0;      // of the call under way; 0 if it is not timed
  std::int64_t pause_ = 0;      // the mean pause between two calls since the last timed one
};

}  // namespace evencube::detail
