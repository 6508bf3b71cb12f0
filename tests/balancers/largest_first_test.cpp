#include <evencube/balancers/largest_first.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace evencube {
namespace {

struct numbered {
  std::uint32_t quanta;
  std::size_t place;  // in the queue as it was

  bool operator==(const numbered&) const = default;
};

std::uint32_t quanta_of(const numbered& one) { return one.quanta; }

TEST(largest_first, a_queue_is_put_in_order) {
  std::vector<std::uint32_t> queue{1, 2, 3, 4, 5, 6};
  std::vector<std::uint32_t> room(queue.size());
  EXPECT_TRUE(largest_to_both_ends(std::span(queue), room.data(), [](auto q) { return q; }));
  EXPECT_EQ(queue, (std::vector<std::uint32_t>{5, 3, 1, 2, 4, 6}));
}

TEST(largest_first, size_classes_ascend_and_are_narrow) {
  EXPECT_EQ(size_class(1), 1U);
  for (std::uint32_t q = 1; q < 70'000; ++q) {
    ASSERT_LE(size_class(q), size_class(q + 1)) << q;
    ASSERT_LT(size_class(q), size_class(q + (q + 3) / 4 + 1)) << q;
  }
  EXPECT_GT(size_class(~std::uint32_t{0}), size_class(1U << 31));
}

// Nothing is lost or doubled, and each step from an end towards the middle comes to no larger task.
// Of one class the newest stay towards the new end.
TEST(largest_first, all_stay_and_none_is_nearer_to_the_middle_than_a_smaller_one) {
  const bool held = rc::check([] {
    const auto quanta = *rc::gen::container<std::vector<std::uint32_t>>(
        rc::gen::element(1U, 2U, 3U, 9U, 10U, 500U, 65536U));
    std::vector<numbered> before;
    for (const std::uint32_t q : quanta) before.push_back({q, before.size()});
    std::vector<numbered> after = before;
    std::vector<numbered> room(before.size());
    const bool changed = largest_to_both_ends(std::span(after), room.data(), quanta_of);
    const auto differs = [](const numbered& a, const numbered& b) {
      return size_class(a.quanta) != size_class(b.quanta);
    };
    RC_ASSERT(changed == (std::ranges::adjacent_find(before, differs) != before.end()));
    if (!changed) RC_ASSERT(after == before);
    if (changed) {
      const std::size_t n = after.size();
      // The order in which owner and thieves would come by turns.
      for (std::size_t i = 1; i < n; ++i) {
        const auto at = [&](std::size_t turn) {
          return after[turn % 2 == 0 ? n - 1 - turn / 2 : turn / 2];
        };
        const numbered a = at(i - 1);
        const numbered b = at(i);
        RC_ASSERT(size_class(a.quanta) >= size_class(b.quanta));
        if (!differs(a, b)) RC_ASSERT(a.place > b.place);
      }
    }
    std::ranges::sort(after, {}, &numbered::place);
    RC_ASSERT(after == before);
  });
  EXPECT_TRUE(held);
}

// However long a queue is and whatever is taken, a task is moved a bounded number of times.
TEST(largest_first, is_due_after_a_quarter) {
  const queue_in_order never;
  EXPECT_FALSE(never.due(0, 7, 100));
  EXPECT_TRUE(never.due(1, 0, 100));  // one costly task among a hundred
  const queue_in_order uneven{.length = 100, .begun = 50, .uneven = true};
  EXPECT_FALSE(uneven.due(24, 50, 124));
  EXPECT_FALSE(uneven.due(1, 73, 100));
  EXPECT_TRUE(uneven.due(1, 74, 100));
  EXPECT_TRUE(uneven.due(25, 50, 125));
  EXPECT_FALSE(uneven.due(0, 74, 76));
  EXPECT_TRUE(uneven.due(0, 75, 75));
  const queue_in_order even{.length = 100, .begun = 50};
  EXPECT_FALSE(even.due(0, 149, 1));
}

}  // namespace
}  // namespace evencube
