#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Blocks of consecutive items along a line of processors. The boundaries of the blocks follow the
/// measured times of the items. This is the locality-preserving shift of Mehrotra, Ranka, Wang 1992
/// for repeated work on items of different costs, with the condition of section 4: shift only if
/// the gain exceeds the cost of the shift.
///
/// `record` receives the times of every run of the work. `rebalance`, called between two runs,
/// moves the boundaries so that all blocks are expected to take the same time. A move happens only
/// once the time lost since the last move exceeds the cost of a move. This is the ski-rental rule
/// (rent until the rent paid equals the price; Karlin, Manasse, Rudolph, Sleator 1988); it is used
/// because the duration of an imbalance is unknown. The cost of a move is also measured: it is the
/// extra time of moved items in their first run after the move.
///
/// Times are in seconds, from any processor's clock. Not thread-safe.
class measured_line {
 public:
  /// Makes equal blocks of `items` items. Throws std::invalid_argument for 0 positions.
  EVENCUBE_EXPORT measured_line(std::uint64_t items, std::size_t positions);

  /// Returns the number of items.
  [[nodiscard]] std::uint64_t items() const noexcept { return bounds_.back(); }
  /// Returns the number of positions.
  [[nodiscard]] std::size_t positions() const noexcept { return bounds_.size() - 1; }
  /// Returns the first item of each position's block, and items() at the end, in ascending order.
  [[nodiscard]] std::span<const std::uint64_t> bounds() const noexcept { return bounds_; }

  /// The items [first, last) and the seconds that they took in total.
  struct sample {
    std::uint64_t first;
    std::uint64_t last;
    double seconds;
  };
  /// Records the times of one run over all items, as samples in any order. `kind`, counted from 0,
  /// distinguishes several kinds of work over the same items. Each kind has its own profile, the
  /// median of its last three runs, and a weight proportional to its share of recent runs. If only
  /// one of several runs was measured, it counts as `runs` runs. O(samples + pieces of the
  /// profile). A profile has 64 pieces for each position, but at most one per item. Throws
  /// std::out_of_range for an item that does not exist.
  EVENCUBE_EXPORT void record(std::size_t kind, std::span<const sample> run,
                              std::uint64_t runs = 1);

  /// Moves the boundaries if the move is worth its cost, and returns the number of items whose
  /// position changed. `runs` is the number of runs since the last call. O(pieces of the profile).
  EVENCUBE_EXPORT std::uint64_t rebalance(std::uint64_t runs = 1);

  /// Changes the number of items; boundaries and profiles keep their shape.
  EVENCUBE_EXPORT void resize(std::uint64_t items);

  /// Returns the expected time of the slowest block divided by the mean time of a block, minus 1: 0
  /// means equal times. Returns 0 before the first call of `record`.
  [[nodiscard]] EVENCUBE_EXPORT double imbalance() const;
  /// Returns the extra time of a moved item in its first run, in seconds; 0 until a move has been
  /// measured.
  [[nodiscard]] double cost_of_moved_item() const noexcept { return cost_of_moved_item_; }

 private:
  struct profile {
    std::array<std::vector<double>, 3> runs;  // seconds of each piece, newest at `next - 1`
    std::size_t next = 0;
    std::size_t known = 0;
    double weight = 0;
  };

  [[nodiscard]] std::size_t pieces() const noexcept { return piece_bounds_.size() - 1; }
  /// The number of pieces into which `items` items are divided.
  [[nodiscard]] std::size_t pieces_of(std::uint64_t items) const noexcept;
  void lay_out_pieces();
  /// The piece of an item, which must exist.
  [[nodiscard]] std::size_t piece_of(std::uint64_t item) const noexcept;
  [[nodiscard]] std::vector<double> spread(std::span<const sample> run) const;
  /// The expected seconds of all items before each piece, for one run of an average kind; the last
  /// value is the total.
  [[nodiscard]] std::vector<double> expected() const;
  /// The expected seconds of all items before `item`, interpolated between the ends of its piece.
  [[nodiscard]] double at(const std::vector<double>& sums, std::uint64_t item) const;
  [[nodiscard]] std::uint64_t item_at(const std::vector<double>& sums, double seconds) const;
  [[nodiscard]] double longest_block(const std::vector<double>& sums) const;
  void measure_move(const std::vector<double>& run, const profile& before);

  std::vector<std::uint64_t> bounds_;
  std::vector<std::uint64_t> piece_bounds_;  // the first item of each piece, and the end
  std::vector<profile> kinds_;
  /// The ranges of items that have moved since the last recorded run.
  std::vector<std::array<std::uint64_t, 2>> moved_;
  double lost_ = 0;  // seconds lost since the last move
  double cost_of_moved_item_ = 0;
};

}  // namespace evencube
