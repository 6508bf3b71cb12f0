#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// Sweeps over units of work that lie in blocks, one block for each position on a line. A sweep
/// begins when all units of the one before it are done. It waits for work and not for workers: any
/// participant takes the units of any block, so a sweep ends even if only one participant is there.
///
/// A participant at an even position begins at the low end of its block, one at an odd position at
/// the high end. So two neighbours come to an end at their common boundary, and a participant that
/// helps another goes on from where it is. A helper takes units from the end that the owner reaches
/// last.
///
/// Invariants:
/// - `sweeps.once`: each unit is taken once in each sweep. One word for each block has the units
///   left and the number of the sweep that last took from it, and each take is one exchange of that
///   word. A word with a lower number stands for the whole block. A take with an outdated number
///   fails, because a sweep cannot end before its last unit has been taken, and then the word has
///   its number or a later one.
/// - `sweeps.barrier`: a unit of a sweep begins after all units of the sweep before. The number of
///   units done counts on over all sweeps, and alone determines which sweep is in progress.
/// - `sweeps.recall`: a participant that has left is called back by the participant that completes
///   a later unit which is the last of its sweep, or the one that left sees that end and stays. The
///   leaving participant announces this and then reads the number of units done; the other adds to
///   that number and then reads which participants have left.
///
/// A participant that leaves costs no progress, because none waits for it, and the participant that
/// ends a sweep continues in the next sweep. Explored in
/// tests/protocols/algorithms/sweeps_test.cpp.
template <typename Policy>
class basic_sweeps {
 public:
  /// The number of sweeps between two calls of `begin`, and the number of units, must be below
  /// these limits.
  static constexpr std::uint64_t sweep_limit = std::uint64_t{1} << 15;
  static constexpr std::uint64_t unit_limit = std::uint64_t{1} << 24;

  explicit basic_sweeps(std::size_t positions)
      : positions_(positions),
        blocks_(std::make_unique<block[]>(positions)),
        away_(std::make_unique<typename Policy::template atomic<bool>[]>(positions)) {}

  struct units {
    std::uint32_t first;
    std::uint32_t last;
    [[nodiscard]] bool empty() const noexcept { return first == last; }
    [[nodiscard]] std::uint32_t size() const noexcept { return last - first; }
  };

  enum class waited : std::uint8_t { too_short, for_others, for_owners, in_vain };

  /// Called by one thread before the participants begin, and followed by `lay_out` for each
  /// position. Everything in both is relaxed: the spawns hand it over to the participants.
  void begin(std::uint64_t sweeps) noexcept {
    sweeps_ = sweeps;
    units_ = 0;
    done_.store(0, std::memory_order_relaxed);
    number_away_.store(0, std::memory_order_relaxed);
  }
  void lay_out(std::size_t position, units whole) noexcept {
    units_ += whole.size();
    blocks_[position].whole = whole;
    blocks_[position].left.store(packed(0, {0, 0}), std::memory_order_relaxed);
    blocks_[position].attended.store(0, std::memory_order_relaxed);
    away_[position].store(false, std::memory_order_relaxed);
  }

  /// Works off sweeps at `position`. Returns true when no sweep is left, and false if the
  /// participant has left before. Calls `work(sweep, units)` for the units that it takes, and
  /// `call_back(index)` for each participant that has left and shall begin again. `index` is the
  /// participant's own, one for each position, even if two of them are at the same position for a
  /// while. `least()` is the number of units below which nothing is gained by taking fewer.
  /// `patience.waited()` reports how long a participant has waited since `patience.begin()`: too
  /// short to look at the blocks of others, which takes their cache lines from them; long enough to
  /// help where an owner has begun or is away; to help everywhere; or to leave.
  template <typename Patience, typename Least, typename Work, typename CallBack>
  bool participate(std::size_t index, std::size_t position, Patience& patience, const Least& least,
                   const Work& work, const CallBack& call_back) {
    const auto work_at = [&](std::size_t p, std::uint64_t sweep) {
      while (!has_failed()) {
        const units taken = take(p, sweep, p == position, least());
        if (taken.empty()) return;
        work(sweep, taken);
        // Nobody waits for the end of the last sweep here.
        if (sweep + 1 != sweeps_ && finish(sweep, taken.size())) recall(call_back);
      }
    };
    std::uint64_t sweep = current();
    while (sweep != sweeps_) {
      // Relaxed: it only tells others how long to wait for this participant.
      blocks_[position].attended.store(sweep + 1, std::memory_order_relaxed);
      work_at(position, sweep);
      if (sweep + 1 == sweeps_) {
        each_other(position, [&](std::size_t p) { work_at(p, sweep); });
        return true;
      }
      waited helped = waited::too_short;
      patience.begin();
      while (!is_over(sweep)) {
        const waited now = patience.waited();
        if (now > helped && helped < waited::for_owners) {
          each_other(position, [&](std::size_t p) {
            if (now >= waited::for_owners || is_begun_or_unattended(p, sweep)) work_at(p, sweep);
          });
          helped = now;
        } else if (now == waited::in_vain) {
          if (leave(index, sweep)) return false;
          break;
        }
        Policy::pause();
      }
      sweep = current();
    }
    return true;
  }

  /// Ends all sweeps, after an exception: no participant begins a unit any more.
  void give_up() noexcept { done_.fetch_or(failed, std::memory_order_seq_cst); }

  /// Marks as away a participant that could not be called back.
  void set_away(std::size_t index) noexcept {
    away_[index].store(true, std::memory_order_relaxed);
    // Pairs with the load in `recall`: who reads this number sees the mark.
    number_away_.fetch_add(1, std::memory_order_seq_cst);
  }

  /// Takes an eighth of the units of a block that are left, but at least `least`: the pieces become
  /// small towards the end. Takes nothing if no units are left, or if another sweep than `sweep` is
  /// in progress. Everything here is relaxed, because a take only decides which thread has the
  /// units. What bodies write reaches other threads by `finish`, the spawns and the wait for the
  /// participants.
  units take(std::size_t position, std::uint64_t sweep, bool as_owner,
             std::uint32_t least) noexcept {
    block& from = blocks_[position];
    std::uint64_t seen = from.left.load(std::memory_order_relaxed);
    for (;;) {
      if (number_in(seen) > sweep + 1) return {0, 0};
      const units left = number_in(seen) == sweep + 1 ? units_in(seen) : from.whole;
      if (left.empty()) return left;
      const std::uint32_t n = (std::min)(left.size(), (std::max)(least, left.size() / 8));
      const bool from_below = as_owner == (position % 2 == 0);
      const units taken =
          from_below ? units{left.first, left.first + n} : units{left.last - n, left.last};
      const units kept = from_below ? units{taken.last, left.last} : units{left.first, taken.first};
      if (from.left.compare_exchange_weak(seen, packed(sweep + 1, kept),
                                          std::memory_order_relaxed)) {
        return taken;
      }
    }
  }

 private:
  static constexpr std::uint64_t failed = std::uint64_t{1} << 63;

  struct alignas(128) block {
    typename Policy::template atomic<std::uint64_t> left{0};
    // One more than the number of the last sweep in which its owner was there.
    typename Policy::template atomic<std::uint64_t> attended{0};
    units whole{0, 0};
  };

  static std::uint64_t packed(std::uint64_t number, units u) noexcept {
    return number << 48 | std::uint64_t{u.first} << 24 | u.last;
  }
  static std::uint64_t number_in(std::uint64_t word) noexcept { return word >> 48; }
  static units units_in(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 24 & 0xFFFFFF),
            static_cast<std::uint32_t>(word & 0xFFFFFF)};
  }

  // The nearest first. A block ends where the one of the next position does if it is even.
  template <typename F>
  void each_other(std::size_t here, const F& f) {
    const bool even = here % 2 == 0;
    for (std::size_t d = 1; d < positions_; ++d) {
      for (const bool up : {even, !even}) {
        if (up ? here + d < positions_ : here >= d) f(up ? here + d : here - d);
      }
    }
  }

  // False if the owner can be expected to begin its block at any moment. Only a guess.
  [[nodiscard]] bool is_begun_or_unattended(std::size_t p, std::uint64_t sweep) const noexcept {
    return number_in(blocks_[p].left.load(std::memory_order_relaxed)) > sweep ||
           (sweep != 0 && blocks_[p].attended.load(std::memory_order_relaxed) < sweep);
  }

  // The number of the sweep under way, or that of all sweeps. Acquire pairs with `finish`: what
  // bodies wrote in earlier sweeps is seen.
  [[nodiscard]] std::uint64_t current() const noexcept {
    return (std::min)(done_.load(std::memory_order_acquire) / units_, sweeps_);
  }
  // Acquire as in `current`, which is called next.
  [[nodiscard]] bool is_over(std::uint64_t sweep) const noexcept {
    return done_.load(std::memory_order_acquire) >= (sweep + 1) * units_;
  }
  // Relaxed: it saves work, and nothing depends on it.
  [[nodiscard]] bool has_failed() const noexcept {
    return (done_.load(std::memory_order_relaxed) & failed) != 0;
  }

  // True if these units were the last of their sweep. Releases what bodies wrote to the
  // participants that acquire in `current`, over all additions up to the last one of the sweep.
  bool finish(std::uint64_t sweep, std::uint32_t n) noexcept {
    // seq_cst pairs with the fence in `leave`.
    return done_.fetch_add(n, std::memory_order_seq_cst) + n == (sweep + 1) * units_;
  }

  // False if the sweep has ended meanwhile, so that the participant stays.
  bool leave(std::size_t index, std::uint64_t sweep) noexcept {
    set_away(index);
    // seq_cst, after the addition in `set_away`: either this load sees the end of the sweep, or who
    // ended it sees the addition (`sweeps.recall`).
    if (done_.load(std::memory_order_seq_cst) < (sweep + 1) * units_) return true;
    return !take_back(index);
  }

  // True for one of those who try it. Relaxed: the spawn that follows, or nothing, is handed over.
  bool take_back(std::size_t index) noexcept {
    if (!away_[index].exchange(false, std::memory_order_relaxed)) return false;
    number_away_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }

  template <typename CallBack>
  void recall(const CallBack& call_back) {
    // seq_cst pairs with `set_away`.
    if (number_away_.load(std::memory_order_seq_cst) == 0) return;
    for (std::size_t index = 0; index < positions_; ++index) {
      if (take_back(index)) call_back(index);
    }
  }

  std::size_t positions_;
  std::unique_ptr<block[]> blocks_;
  std::uint64_t sweeps_ = 0;
  std::uint64_t units_ = 0;
  // The units done since `begin`, in all sweeps; `failed` is added after an exception.
  alignas(128) typename Policy::template atomic<std::uint64_t> done_{0};
  alignas(128) typename Policy::template atomic<std::uint32_t> number_away_{0};
  std::unique_ptr<typename Policy::template atomic<bool>[]> away_;
};

using sweeps = basic_sweeps<std_atomics>;

}  // namespace evencube::detail
