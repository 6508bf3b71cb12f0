#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Blocks of consecutive items along a line of processors, whose boundaries follow the times that
/// the items took: the locality-preserving shift of Mehrotra, Ranka, Wang 1992 for items that do
/// not cost the same, with its conditional step (section 4: shift if what is gained exceeds what
/// the shift costs), for work that is done over and over.
///
/// Every run of the work is reported by `record`; `rebalance`, between two runs, moves the
/// boundaries to where every block is expected to take the same time, but not before the time lost
/// since the last move exceeds what a move costs: as one rents until the rent paid would have
/// bought (ski rental; Karlin, Manasse, Rudolph, Sleator 1988), for nobody knows how long an
/// imbalance lasts. What a move costs is measured, too: by how much longer items took in the first
/// run after they had moved.
///
/// Times are in seconds, of any processor's clock. Not thread-safe.
class measured_line {
 public:
  /// Equal blocks. Throws std::invalid_argument for no position.
  EVENCUBE_EXPORT measured_line(std::uint64_t items, std::size_t positions);

  [[nodiscard]] std::uint64_t items() const noexcept { return bounds_.back(); }
  [[nodiscard]] std::size_t positions() const noexcept { return bounds_.size() - 1; }
  /// First item of each position's block, and items() at the end: ascending.
  [[nodiscard]] std::span<const std::uint64_t> bounds() const noexcept { return bounds_; }

  /// The items [first, last) and how long they took together.
  struct sample {
    std::uint64_t first;
    std::uint64_t last;
    double seconds;
  };
  /// What one run over all items took, in pieces in any order. `kind`, from 0 on: which of several
  /// pieces of work over the same items it was. Each has a profile of its own, the median of its
  /// last three runs, and counts by how often it ran lately. O(samples + pieces of the profile), of
  /// which there are 64 a position, or as many as items. Throws std::out_of_range for an item that
  /// is not there.
  EVENCUBE_EXPORT void record(std::size_t kind, std::span<const sample> run);

  /// Moves the boundaries if that pays; returns how many items changed their position. O(pieces of
  /// the profile).
  EVENCUBE_EXPORT std::uint64_t rebalance();

  /// Other items, as many as are said: boundaries and profiles keep their shape.
  EVENCUBE_EXPORT void resize(std::uint64_t items);

  /// How much longer than the average the slowest block is expected to take: 0 is even, 1 twice as
  /// long. 0 before anything was recorded.
  [[nodiscard]] EVENCUBE_EXPORT double imbalance() const;
  /// What a moved item costs in its first run, in seconds; 0 until a move has been measured.
  [[nodiscard]] double cost_of_moved_item() const noexcept { return cost_of_moved_item_; }

 private:
  struct profile {
    std::array<std::vector<double>, 3> runs;  // seconds of each piece, newest at `next - 1`
    std::size_t next = 0;
    std::size_t known = 0;
    double weight = 0;
  };

  [[nodiscard]] std::size_t pieces() const noexcept { return piece_bounds_.size() - 1; }
  /// How many pieces a line of so many items has.
  [[nodiscard]] std::size_t pieces_of(std::uint64_t items) const noexcept;
  void lay_out_pieces();
  /// Of an item that is there.
  [[nodiscard]] std::size_t piece_of(std::uint64_t item) const noexcept;
  [[nodiscard]] std::vector<double> spread(std::span<const sample> run) const;
  /// Expected seconds of the items before each piece, of one run of an average kind; the total at
  /// the end.
  [[nodiscard]] std::vector<double> expected() const;
  /// The same of any item: between the ends of its piece.
  [[nodiscard]] double at(const std::vector<double>& sums, std::uint64_t item) const;
  [[nodiscard]] std::uint64_t item_at(const std::vector<double>& sums, double seconds) const;
  [[nodiscard]] double longest_block(const std::vector<double>& sums) const;
  void measure_move(const std::vector<double>& run, const profile& before);

  std::vector<std::uint64_t> bounds_;
  std::vector<std::uint64_t> piece_bounds_;  // the first item of each piece of the profile; the end
  std::vector<profile> kinds_;
  /// Items that have moved and not been touched since.
  std::vector<std::array<std::uint64_t, 2>> moved_;
  double lost_ = 0;  // since the last move
  double cost_of_moved_item_ = 0;
};

}  // namespace evencube
