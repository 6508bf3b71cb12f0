#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace evencube::detail {

/// What is known of the time that the loops of one kind take, which are those of one call in the
/// source. A loop that ends before another worker could come and help is called *short* and runs
/// in place, so no worker is woken for it (invariant loops.short). Any number of threads may use
/// one object at once; they lose some of what the others learn. Times are in nanoseconds.
class loop_pace {
 public:
  /// A loop in place is short below this time.
  static constexpr std::int64_t short_ns = 4'000;
  /// A loop that was shared may be short below this time, most of which it takes to wake a worker.
  static constexpr std::int64_t maybe_short_ns = 30'000;
  /// After this number of such loops in a row, the next one is tried in place.
  static constexpr std::uint32_t needed = 3;
  /// The number of loops that are shared after one in place was not short.
  static constexpr std::uint32_t shared_again = 64;

  /// How a loop runs: shared with others, or in place, and then timed or not.
  enum class way : std::uint8_t { shared, tried_in_place, in_place };

  [[nodiscard]] way way_of(std::size_t count) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    if (streak(word) < needed) return way::shared;
    if (streak(word) == needed) return way::tried_in_place;
    const bool brief = count < most_iterations && count * each(word) < short_ns * parts;
    return brief ? way::in_place : way::shared;
  }
  /// Called when a loop of `count` iterations that ran in place has taken `took`.
  void ran_in_place(std::size_t count, std::int64_t took) noexcept {
    if (took >= short_ns) {
      word_.store(made(0, 0, shared_again), std::memory_order_relaxed);
      return;
    }
    // Other workers read the word for each of their loops, so small changes are left out.
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    const std::uint64_t now = static_cast<std::uint64_t>(took * parts) / count + 1;
    const std::uint64_t before = each(word);
    if (streak(word) <= needed || now > before + before / 8 || now < before - before / 8) {
      word_.store(made(now, needed + 1, 0), std::memory_order_relaxed);
    }
  }
  /// Called when a loop was shared and its caller had the result after `took`.
  void was_shared(std::int64_t took) noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    if (streak(word) > needed) return;  // this loop alone has more iterations than are short
    const std::uint32_t left = rest(word);
    const bool counts = left == 0 && took < maybe_short_ns;
    const std::uint32_t seen = counts ? streak(word) + 1 : 0;
    const std::uint64_t next = made(0, seen < needed ? seen : needed, left == 0 ? 0 : left - 1);
    if (next != word) word_.store(next, std::memory_order_relaxed);
  }

 private:
  // The word: the time of an iteration in parts of a nanosecond (44 bits), how far the loops are
  // known to be short (4 bits), and the number of loops that are shared whatever they take (16
  // bits).
  static constexpr std::int64_t parts = 16;
  static constexpr std::size_t most_iterations = std::size_t{1} << 17;

  static std::uint64_t made(std::uint64_t each, std::uint32_t streak, std::uint32_t rest) noexcept {
    return each << 20 | std::uint64_t{streak} << 16 | rest;
  }
  static std::uint64_t each(std::uint64_t word) noexcept { return word >> 20; }
  static std::uint32_t streak(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 16 & 0xf);
  }
  static std::uint32_t rest(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word & 0xffff);
  }

  std::atomic<std::uint64_t> word_{0};
};

/// The pace of the loops with this work. Each call of a loop with a lambda has its own.
template <typename Work>
inline constinit loop_pace pace_of{};

}  // namespace evencube::detail
