// What workers take of one another's blocks in a balanced loop (detail/line_claims.hpp).

#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/detail/line_claims.hpp>
#include <limits>

#include "explored.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
using claims_type = detail::basic_line_claims<explored>;

template <std::uint32_t Units>
struct blocks_on_a_line : explorer::scenario {
  claims_type claims{2};
  /// A race if one of them is taken twice.
  explored::plain<unsigned> taken[2 * Units]{};

  blocks_on_a_line() {
    for (std::uint32_t p = 0; p < 2; ++p) claims.lay_out(p, {p * Units, (p + 1) * Units});
  }
  [[nodiscard]] unsigned threads() const override { return 2; }

  /// False if nothing was left.
  bool take(std::uint32_t position, bool as_owner, std::uint32_t least) {
    const auto units = claims.take(position, as_owner, least);
    require(units.first <= units.last && units.first >= position * Units &&
                units.last <= (position + 1) * Units,
            "what was taken is not of the block");
    for (std::uint32_t u = units.first; u < units.last; ++u) taken[u] = taken[u] + 1;
    return !units.empty();
  }
  void check() override {
    for (const auto& n : taken) require(n == 1, "a unit was not taken once");
  }
};

// Invariant (once): each works off its own block, then helps with the other's.
template <std::uint32_t Units>
struct neighbours_help : blocks_on_a_line<Units> {
  void run(unsigned k) override {
    while (this->take(k, true, 1)) continue;
    while (this->take(1 - k, false, 1)) continue;
  }
};

// The same where one gives up, after an exception, while the other works.
struct one_gives_up : blocks_on_a_line<3> {
  void run(unsigned k) override {
    if (k == 0) {
      while (take(0, true, 1)) continue;
      while (take(1, false, 1)) continue;
      return;
    }
    for (std::uint32_t p = 0; p < 2; ++p) {
      while (take(p, true, std::numeric_limits<std::uint32_t>::max())) continue;
    }
  }
};

TEST(line_claims, neighbours_help) { expect_holds<neighbours_help<2>>({8, 8, 4}); }
TEST(line_claims, neighbours_help_with_more) { expect_holds<neighbours_help<4>>({4, 4, 2}); }
TEST(line_claims, one_gives_up) { expect_holds<one_gives_up>({8, 8, 4}); }

TEST(line_claims, seeded_torn_take) {
  expect_found<neighbours_help<2>>("torn take", {harm::tear, "take", action::compare_exchange}, "");
}
TEST(line_claims, seeded_take_that_leaves_all) {
  expect_found<neighbours_help<2>>("a take that leaves what is left as it was",
                                   {harm::omit, "take", action::compare_exchange}, "");
}
TEST(line_claims, seeded_torn_take_of_who_gives_up) {
  expect_found<one_gives_up>("torn take of who gives up",
                             {harm::tear, "take", action::compare_exchange}, "");
}

}  // namespace
}  // namespace evencube::test
