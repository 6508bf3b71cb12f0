#include <evencube/balancers/measured_line.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace evencube {

namespace {

constexpr std::size_t pieces_per_position = 64;
// As a part of the average block of a run. Smaller gains are noise.
constexpr double noise = 0.01;
// The weight of a kind's latest run relative to its earlier ones.
constexpr double freshness = 1.0 / 16;

// part/whole of n, rounded down; exact.
std::uint64_t share(std::uint64_t n, std::size_t part, std::size_t whole) {
  const std::uint64_t q = n / whole;
  const std::uint64_t r = n % whole;
  return q * part + r * part / whole;
}

double median(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

std::vector<double> sums_of(const std::vector<double>& pieces) {
  std::vector<double> sums(pieces.size() + 1, 0.0);
  std::partial_sum(pieces.begin(), pieces.end(), sums.begin() + 1);
  return sums;
}

}  // namespace

measured_line::measured_line(std::uint64_t items, std::size_t positions) {
  if (positions == 0) throw std::invalid_argument("a measured_line has at least one position");
  for (std::size_t k = 0; k <= positions; ++k) bounds_.push_back(share(items, k, positions));
  lay_out_pieces();
}

std::size_t measured_line::pieces_of(std::uint64_t items) const noexcept {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(items, pieces_per_position * positions()));
}

// The bounds are stored, because they are needed several times in every run, and each would cost a
// division or two.
void measured_line::lay_out_pieces() {
  const std::size_t n = pieces_of(items());
  piece_bounds_.assign(n + 1, 0);
  for (std::size_t k = 1; k <= n; ++k) piece_bounds_[k] = share(items(), k, n);
}

std::size_t measured_line::piece_of(std::uint64_t item) const noexcept {
  const double guess =
      static_cast<double>(item) / static_cast<double>(items()) * static_cast<double>(pieces());
  std::size_t piece = std::min(pieces() - 1, static_cast<std::size_t>(guess));
  while (piece_bounds_[piece] > item) --piece;
  while (piece_bounds_[piece + 1] <= item) ++piece;
  return piece;
}

std::vector<double> measured_line::spread(std::span<const sample> run) const {
  std::vector<double> seconds(pieces(), 0.0);
  for (const sample& s : run) {
    if (s.last <= s.first) continue;
    if (s.last > items()) throw std::out_of_range("a sample of items that are not there");
    const double each = s.seconds / static_cast<double>(s.last - s.first);
    std::size_t piece = piece_of(s.first);
    for (std::uint64_t from = s.first; from < s.last; ++piece) {
      const std::uint64_t to = std::min(s.last, piece_bounds_[piece + 1]);
      seconds[piece] += each * static_cast<double>(to - from);
      from = to;
    }
  }
  return seconds;
}

void measured_line::record(std::size_t kind, std::span<const sample> run, std::uint64_t runs) {
  if (items() == 0) return;
  if (kind >= kinds_.size()) kinds_.resize(kind + 1);
  std::vector<double> seconds = spread(run);
  if (!moved_.empty() && kinds_[kind].known > 0) measure_move(seconds, kinds_[kind]);
  moved_.clear();
  const double stays = std::pow(1 - freshness, static_cast<double>(runs));
  for (profile& p : kinds_) p.weight *= stays;
  profile& p = kinds_[kind];
  p.weight += 1 - stays;
  p.runs[p.next] = std::move(seconds);
  p.next = (p.next + 1) % p.runs.size();
  p.known = std::min(p.known + 1, p.runs.size());
}

// If the items that moved took longer than before, the difference is the cost of the move. Half of
// the old value stays, because one run is only one sample.
void measured_line::measure_move(const std::vector<double>& run, const profile& before) {
  const std::vector<double> sums = sums_of(run);
  const std::vector<double> sums_before = sums_of(before.runs[(before.next + 2) % 3]);
  double longer = 0;
  double touched = 0;
  for (const auto& [first, last] : moved_) {
    longer += at(sums, last) - at(sums, first) - (at(sums_before, last) - at(sums_before, first));
    touched += static_cast<double>(last - first);
  }
  cost_of_moved_item_ = (cost_of_moved_item_ + std::max(0.0, longer / touched)) / 2;
}

std::vector<double> measured_line::expected() const {
  std::vector<double> all(pieces(), 0.0);
  double weights = 0;
  for (const profile& p : kinds_) {
    if (p.known == 0) continue;
    weights += p.weight;
    for (std::size_t i = 0; i < all.size(); ++i) {
      // A single slow run, in which the processor was taken away, says nothing about the items.
      const double typical = p.known == 3   ? median(p.runs[0][i], p.runs[1][i], p.runs[2][i])
                             : p.known == 2 ? std::min(p.runs[0][i], p.runs[1][i])
                                            : p.runs[0][i];
      all[i] += p.weight * typical;
    }
  }
  for (double& seconds : all) seconds /= weights > 0 ? weights : 1;
  return sums_of(all);
}

double measured_line::at(const std::vector<double>& sums, std::uint64_t item) const {
  if (item >= items()) return sums.back();
  const std::size_t piece = piece_of(item);
  const std::uint64_t first = piece_bounds_[piece];
  const std::uint64_t last = piece_bounds_[piece + 1];
  return sums[piece] + (sums[piece + 1] - sums[piece]) * static_cast<double>(item - first) /
                           static_cast<double>(last - first);
}

std::uint64_t measured_line::item_at(const std::vector<double>& sums, double seconds) const {
  const auto above = std::upper_bound(sums.begin(), sums.end(), seconds);
  if (above == sums.end()) return items();
  const auto piece = static_cast<std::size_t>(above - sums.begin()) - 1;
  const std::uint64_t first = piece_bounds_[piece];
  const std::uint64_t length = piece_bounds_[piece + 1] - first;
  const double part = (seconds - sums[piece]) / (sums[piece + 1] - sums[piece]);
  return first + std::min(length, static_cast<std::uint64_t>(
                                      std::lround(part * static_cast<double>(length))));
}

double measured_line::longest_block(const std::vector<double>& sums) const {
  double longest = 0;
  for (std::size_t k = 0; k < positions(); ++k) {
    longest = std::max(longest, at(sums, bounds_[k + 1]) - at(sums, bounds_[k]));
  }
  return longest;
}

double measured_line::imbalance() const {
  if (items() == 0) return 0;
  const std::vector<double> sums = expected();
  const double average = sums.back() / static_cast<double>(positions());
  return average > 0 ? std::max(0.0, longest_block(sums) / average - 1) : 0;
}

std::uint64_t measured_line::rebalance(std::uint64_t runs) {
  if (items() == 0) return 0;
  const std::vector<double> sums = expected();
  const double average = sums.back() / static_cast<double>(positions());
  const double excess = longest_block(sums) - average;
  if (excess <= noise * average) return 0;
  lost_ += excess * static_cast<double>(runs);

  std::vector<std::uint64_t> shifted = bounds_;
  for (std::size_t k = 1; k < positions(); ++k) {
    shifted[k] = std::max(shifted[k - 1], item_at(sums, average * static_cast<double>(k)));
  }
  // The items that each position receives: its new block without its old one.
  std::vector<std::array<std::uint64_t, 2>> moved;
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  for (std::size_t k = 0; k < positions(); ++k) {
    const std::uint64_t first = shifted[k];
    const std::uint64_t last = shifted[k + 1];
    const std::uint64_t kept_first = std::clamp(bounds_[k], first, last);
    const std::uint64_t kept_last = std::clamp(bounds_[k + 1], first, last);
    if (first < kept_first) moved.push_back({first, kept_first});
    if (kept_last < last) moved.push_back({kept_last, last});
    const std::uint64_t gets = kept_first - first + last - kept_last;
    all += gets;
    most = std::max(most, gets);
  }
  // All positions receive at the same time, so the longest transfer counts.
  if (all == 0 || lost_ <= cost_of_moved_item_ * static_cast<double>(most)) return 0;
  bounds_ = std::move(shifted);
  moved_ = std::move(moved);
  lost_ = 0;
  return all;
}

void measured_line::resize(std::uint64_t items) {
  const std::uint64_t before = this->items();
  const std::size_t pieces_before = pieces();
  piece_bounds_.reserve(pieces_of(items) + 1);  // throws before anything has changed
  for (std::size_t k = 0; k <= positions(); ++k) {
    // Exact at both ends. In between, a fraction is exact enough.
    bounds_[k] = k == positions() ? items
                 : before == 0
                     ? share(items, k, positions())
                     : std::min(items, static_cast<std::uint64_t>(static_cast<double>(bounds_[k]) /
                                                                  static_cast<double>(before) *
                                                                  static_cast<double>(items)));
  }
  moved_.clear();
  lost_ = 0;
  lay_out_pieces();
  if (pieces() != pieces_before) kinds_.clear();  // too few items for the old pieces, or no longer
}

}  // namespace evencube
