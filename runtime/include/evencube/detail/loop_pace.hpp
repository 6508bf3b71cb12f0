#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/detail/least.hpp>

namespace evencube::detail {

/// What is known of the time that the loops of one kind take, which are those of one call in the
/// source. A loop that ends before another worker could come and help is called *short* and runs
/// in place, so no worker is woken for it (invariant loops.short). So does a loop that takes no
/// longer in place than shared. Any number of threads may use one object at once; they lose some of
/// what the others learn. Times are in nanoseconds.
class loop_pace {
 public:
  /// A loop in place is short below this time.
  static constexpr std::int64_t short_ns = 4'000;
  /// A loop that was shared may be short below this time, most of which it takes to wake a worker.
  static constexpr std::int64_t maybe_short_ns = 30'000;
  /// A loop in place that takes longer than this and than expected goes on as a shared one.
  static constexpr std::int64_t least_limit_ns = 5'000;
  /// After this number of such loops in a row, the next ones are tried in place. As many are tried:
  /// the first may have to fetch its data from the caches of other processors.
  static constexpr std::uint32_t needed = 3;
  /// The number of loops that are shared after one in place was not short. It doubles each time
  /// that those in place are then not as fast either.
  static constexpr std::uint32_t shared_again = 64;
  static constexpr std::uint32_t most_doublings = 6;
  /// The number of timed loops in place, if they are as fast as shared ones, until they are
  /// compared again; and the number of loops that are shared before that, until workers expect
  /// them.
  static constexpr std::uint32_t compared_again = 64;
  static constexpr std::uint32_t shared_before = 16;

  /// How a loop runs: shared with others, or in place, and then timed or not.
  enum class way : std::uint8_t { shared, tried_in_place, in_place };

  [[nodiscard]] way way_of(std::size_t count) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    if (state(word) < tried) return way::shared;
    if (state(word) < known_short) return way::tried_in_place;
    const std::int64_t longest = state(word) == as_fast ? maybe_short_ns : short_ns;
    return expected(count, each(word)) < longest ? way::in_place : way::shared;
  }
  /// The time after which a loop of `count` iterations that began in place is shared after all:
  /// twice the time that it is expected to take in place or shared, whichever is longer.
  [[nodiscard]] std::int64_t limit_of(std::size_t count) const noexcept {
    const std::uint64_t longer = greatest(each(word_.load(std::memory_order_relaxed)),
                                          shared_each_.load(std::memory_order_relaxed));
    return greatest(least_limit_ns, least(expected(count, 2 * longer), maybe_short_ns));
  }
  /// Called when a loop of `count` iterations that ran in place has taken `took`.
  void ran_in_place(std::size_t count, std::int64_t took) noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    const std::uint64_t now = each_of(count, took);
    const std::uint64_t before = each(word);
    if (took < short_ns) {
      // Other workers read the word for each of their loops, so small changes are left out.
      if (state(word) != known_short || now > before + before / 8 || now < before - before / 8) {
        store(now, known_short, 0, 0);
      }
      return;
    }
    if (state(word) < tried) return;  // another thread has decided meanwhile
    const std::uint64_t shared = shared_each_.load(std::memory_order_relaxed);
    const bool trying = state(word) < known_short;
    const std::uint64_t best = trying && state(word) > tried ? least(before, now) : now;
    const bool compares = doublings(word) != 0 && took < maybe_short_ns;
    if (compares && trying && state(word) < known_short - 1 && now <= 2 * shared) {
      store(best, state(word) + 1, 0, doublings(word));
    } else if (!compares || best > shared) {
      store(0, 0, shared_again << doublings(word), least(doublings(word) + 1, most_doublings));
    } else if (const auto left = state(word) == as_fast ? rest(word) - 1 : compared_again;
               left != 0) {
      store(best, as_fast, left, 1);
    } else {
      store(0, 0, shared_before, 1);
    }
  }
  /// Called when a loop of `count` iterations was shared and its caller had the result after
  /// `took`.
  void was_shared(std::size_t count, std::int64_t took) noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    if (state(word) >= tried) return;  // this loop alone has more iterations than are short
    if (rest(word) != 0) {
      store(0, 0, rest(word) - 1, doublings(word));
      return;
    }
    const bool counts = took < maybe_short_ns;
    const std::uint32_t seen = counts ? state(word) + 1 : 0;
    if (seen != state(word)) store(0, seen, 0, doublings(word));
    if (!counts) return;
    const std::uint64_t before = (seen - 1) * shared_each_.load(std::memory_order_relaxed);
    shared_each_.store((before + each_of(count, took)) / seen, std::memory_order_relaxed);
  }

 private:
  // Loops are compared only after many were shared, and the number of doublings is then not 0:
  // workers that sleep make the first shared loops slow.
  static constexpr std::uint64_t parts = 1024;
  // As many iterations take longer than any short loop, even at a part of a nanosecond each.
  static constexpr std::size_t most_iterations = std::size_t{1} << 25;
  // The states: the number of loops in a row that were shared and may be short; that number, and
  // then one more for each loop that was tried in place; and what came of it.
  static constexpr std::uint32_t tried = needed;
  static constexpr std::uint32_t known_short = 2 * needed;
  static constexpr std::uint32_t as_fast = known_short + 1;

  // The word: the time of an iteration in place in parts of a nanosecond (40 bits), the number of
  // doublings of `shared_again` (4 bits), the state (4 bits), and the number of loops that are
  // still shared whatever they take, or that still run in place before they are compared (16 bits).
  void store(std::uint64_t each, std::uint32_t state, std::uint32_t rest,
             std::uint32_t doublings) noexcept {
    word_.store(each << 24 | std::uint64_t{doublings} << 20 | state << 16 | rest,
                std::memory_order_relaxed);
  }
  static std::uint64_t each_of(std::size_t count, std::int64_t took) noexcept {
    return static_cast<std::uint64_t>(took) * parts / count + 1;
  }
  static std::int64_t expected(std::size_t count, std::uint64_t each) noexcept {
    const std::size_t counted = least(count, most_iterations);
    return static_cast<std::int64_t>(counted * each / parts);
  }
  static std::uint64_t each(std::uint64_t word) noexcept { return word >> 24; }
  static std::uint32_t doublings(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 20 & 0xf);
  }
  static std::uint32_t state(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 16 & 0xf);
  }
  static std::uint32_t rest(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word & 0xffff);
  }

  std::atomic<std::uint64_t> word_{0};
  // The mean time of an iteration in the last loops that were shared.
  std::atomic<std::uint64_t> shared_each_{0};
};

/// The pace of the loops with this work. Each call of a loop with a lambda has its own.
template <typename Work>
inline constinit loop_pace pace_of{};

}  // namespace evencube::detail
