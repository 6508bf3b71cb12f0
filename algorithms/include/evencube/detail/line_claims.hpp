#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// The units of each position's block that are left while a run works them off. A worker at an even
/// position begins at the low end of its block, a worker at an odd one at the high end. So two
/// neighbours come to an end at their common boundary, and a worker that helps the other goes on
/// from where it is. A helper takes from the end to which the owner comes last.
///
/// Invariant (once): the units taken from a block and those left are the whole block, and no two
/// takes have a unit in common, because each take is one exchange of both ends in one word.
/// Explored in tests/protocols/line_claims_test.cpp; found to break: takes in two steps, and one
/// that does not shorten what is left.
template <typename Policy>
class basic_line_claims {
 public:
  explicit basic_line_claims(std::size_t positions) : rests_(std::make_unique<rest[]>(positions)) {}

  struct units {
    std::uint32_t first;
    std::uint32_t last;
    [[nodiscard]] bool empty() const noexcept { return first == last; }
  };

  /// Called before a run, by one thread. Relaxed: spawns hand the block over to the threads that
  /// take from it.
  void lay_out(std::size_t position, units all) noexcept {
    rests_[position].units.store(packed(all), std::memory_order_relaxed);
  }

  /// Takes an eighth of the units that are left, but at least `least`: the pieces become small
  /// towards the end. All operations here are relaxed, because a claim only decides which thread
  /// has the units. What bodies write reaches other threads by the spawn before the run and the
  /// wait after it.
  units take(std::size_t position, bool as_owner, std::uint32_t least) noexcept {
    typename Policy::template atomic<std::uint64_t>& at = rests_[position].units;
    std::uint64_t seen = at.load(std::memory_order_relaxed);
    for (;;) {
      const units left{static_cast<std::uint32_t>(seen >> 32), static_cast<std::uint32_t>(seen)};
      if (left.empty()) return left;
      const std::uint32_t all = left.last - left.first;
      const std::uint32_t n = (std::min)(all, (std::max)(least, all / 8));
      const bool from_below = as_owner == (position % 2 == 0);
      const units taken =
          from_below ? units{left.first, left.first + n} : units{left.last - n, left.last};
      const units kept = from_below ? units{taken.last, left.last} : units{left.first, taken.first};
      if (at.compare_exchange_weak(seen, packed(kept), std::memory_order_relaxed)) return taken;
    }
  }

 private:
  struct alignas(128) rest {
    typename Policy::template atomic<std::uint64_t> units{0};
  };
  static std::uint64_t packed(units u) noexcept {
    return static_cast<std::uint64_t>(u.first) << 32 | u.last;
  }

  std::unique_ptr<rest[]> rests_;
};

using line_claims = basic_line_claims<std_atomics>;

}  // namespace evencube::detail
