// A lane is what a list that is looked through from its beginning each time would be.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <evencube/detail/std_policy.hpp>
#include <evencube/detail/task.hpp>
#include <memory>
#include <random>
#include <vector>

#include "queues/entrance.hpp"
#include "queues/priority_list.hpp"

namespace evencube::detail {
namespace {

using lane = basic_priority_list<std_policy>;

struct marked : task {
  explicit marked(const node* parent) { parent_ = parent; }
};

/// A future that nobody asks for, whose slot says when it goes.
struct slot_alone final : future_core {
  explicit slot_alone(int& gone)
      : future_core(1, stage::released, 1, nullptr, &destroy), gone_(&gone) {
    parent_ = nullptr;
  }
  static void destroy(future_core& core) noexcept {
    auto* const self = static_cast<slot_alone*>(&core);
    ++*self->gone_;
    delete self;
  }
  int* gone_;
};

TEST(lane, gives_tasks_in_the_order_they_came) {
  lane tasks;
  EXPECT_TRUE(tasks.empty());
  EXPECT_FALSE(tasks.occupied());
  EXPECT_EQ(tasks.take_oldest(), 0U);
  std::deque<marked> made;
  for (int i = 0; i < 1000; ++i) {
    made.emplace_back(nullptr);
    EXPECT_TRUE(tasks.line_up(make_slot(&made.back(), 3)).empty());
  }
  EXPECT_EQ(tasks.length(), 1000U);
  for (const marked& t : made) EXPECT_EQ(tasks.take_oldest(), make_slot(&t, 3));
  EXPECT_EQ(tasks.take_oldest(), 0U);
  EXPECT_FALSE(tasks.occupied());
}

TEST(lane, tells_each_wait_of_what_it_has_not_seen) {
  lane tasks;
  node target{nullptr};
  marked stranger(nullptr);
  lane::look look;
  EXPECT_FALSE(tasks.news(look, std::memory_order_seq_cst));
  tasks.line_up(make_slot(&stranger, 1));
  EXPECT_TRUE(tasks.news(look, std::memory_order_seq_cst));
  EXPECT_EQ(tasks.take_below(target, look), 0U);
  EXPECT_FALSE(tasks.news(look, std::memory_order_seq_cst));
  marked own(&target);
  tasks.line_up(make_slot(&own, 1));
  EXPECT_TRUE(tasks.news(look, std::memory_order_seq_cst));
  EXPECT_EQ(tasks.take_below(target, look), make_slot(&own, 1));
  EXPECT_FALSE(tasks.news(look, std::memory_order_seq_cst));
}

// Waits come and go, tasks of each of them and of none are added, taken in order, and taken from
// between others.
TEST(lane, is_looked_through_as_if_from_the_beginning) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    lane tasks;
    std::deque<marked> made;  // keeps them, so that addresses are not used again
    std::vector<slot_word> expected;
    std::array<node, 4> targets{};
    targets[1].parent_ = &targets[0];
    std::array<lane::look, 4> looks;
    const std::uint64_t adds = 1 + random() % 6;
    for (int step = 0; step < 600; ++step) {
      const std::uint64_t what = random() % 10;
      if (what < adds) {
        const std::uint64_t below = random() % 5;
        made.emplace_back(below == 4 ? nullptr : &targets[below]);
        expected.push_back(make_slot(&made.back(), 1));
        ASSERT_TRUE(tasks.line_up(expected.back()).empty());
      } else if (what == 9) {
        looks[random() % 4] = {};  // another wait for the same
      } else if (what > 6) {
        const slot_word word = expected.empty() ? 0 : expected.front();
        if (word != 0) expected.erase(expected.begin());
        ASSERT_EQ(tasks.take_oldest(), word);
      } else {
        const std::uint64_t k = random() % 4;
        const auto wanted = std::ranges::find_if(
            expected, [&](slot_word w) { return descends(task_of(w), targets[k]); });
        const slot_word word = wanted == expected.end() ? 0 : *wanted;
        if (word != 0) expected.erase(wanted);
        ASSERT_EQ(tasks.take_below(targets[k], looks[k]), word) << "seed " << seed;
      }
      ASSERT_EQ(tasks.length(), expected.size());
      std::vector<slot_word> there;
      tasks.for_each([&](const task& t) { there.push_back(make_slot(&t, 1)); });
      ASSERT_EQ(there, expected);
    }
  }
}

TEST(lane, gives_back_the_slots_of_futures_that_have_begun) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    lane tasks;
    node target{nullptr};
    lane::look look;
    std::deque<marked> made;
    int gone = 0;
    int begun = 0;
    std::uint64_t most = 0;
    std::vector<slot_word> left;
    for (int i = 0; i < 5000; ++i) {
      slot_word word = 0;
      bool stays = true;
      if (random() % 4 == 0) {
        made.emplace_back(nullptr);
        word = make_slot(&made.back(), 1);
      } else {
        auto* const future = new slot_alone(gone);
        word = make_slot(future, 1) | future_bit;
        if (random() % 8 != 0) {
          ASSERT_TRUE(future->begin());
          ++begun;
          stays = false;
        }
      }
      if (stays) left.push_back(word);
      for (message dead = tasks.line_up(word); !dead.empty();) {
        static_cast<future_core*>(task_of(dead.take_newest()))->drop();
      }
      if (i % 100 == 0) {
        ASSERT_EQ(tasks.take_below(target, look), 0U);
      }
      most = std::max(most, tasks.length());
    }
    EXPECT_LE(most, std::max<std::uint64_t>(256, 2 * left.size() + 1));
    EXPECT_GT(gone, 0);
    std::vector<slot_word> there;
    while (const slot_word word = tasks.take_oldest()) {
      const bool future = (word & future_bit) != 0;
      if (!future || !static_cast<future_core*>(task_of(word))->has_begun()) there.push_back(word);
      if (future) static_cast<future_core*>(task_of(word))->drop();
    }
    EXPECT_EQ(there, left);
    EXPECT_GE(gone, begun);
  }
}

TEST(entrance, gives_tasks_that_were_set_aside_first) {
  basic_entrance<std_policy> entrance(4);
  EXPECT_TRUE(entrance.empty());
  EXPECT_FALSE(entrance.ready());
  marked ring(nullptr);
  marked aside(nullptr);
  marked urgent(nullptr);
  EXPECT_TRUE(entrance.injector().push(make_slot(&ring, 1)));
  entrance.aside().add(make_slot(&aside, 1));
  EXPECT_TRUE(entrance.ready());
  EXPECT_EQ(entrance.take(), make_slot(&aside, 1));
  EXPECT_EQ(entrance.take(), make_slot(&ring, 1));
  EXPECT_EQ(entrance.take(), 0U);
  EXPECT_TRUE(entrance.empty());
  entrance.of(priority::high).add(make_slot(&urgent, 1));
  EXPECT_FALSE(entrance.ready()) << "tasks with a priority are taken from their lists";
  EXPECT_FALSE(entrance.empty());
  EXPECT_EQ(entrance.high().take_oldest(), make_slot(&urgent, 1));
}

TEST(entrance, takes_nothing_once_it_is_closed) {
  basic_entrance<std_policy> entrance(4);
  marked late(nullptr);
  bool sending = false;
  EXPECT_TRUE(entrance.send_unless_closed([&] { sending = entrance.sending(); }));
  EXPECT_TRUE(sending);
  EXPECT_FALSE(entrance.sending());
  entrance.close();
  EXPECT_TRUE(entrance.closed());
  EXPECT_FALSE(entrance.send_unless_closed([] { FAIL(); }));
  EXPECT_FALSE(entrance.injector().push(make_slot(&late, 1)));
}

}  // namespace
}  // namespace evencube::detail
