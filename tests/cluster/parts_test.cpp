// The parts of a rank that are pure: each by itself, with its time given.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "call_order.hpp"
#include "group_table.hpp"
#include "naps.hpp"
#include "node_order.hpp"
#include "plan_steps.hpp"
#include "round_outlook.hpp"
#include "round_pace.hpp"
#include "spawning.hpp"
#include "task_measures.hpp"
#include "task_types.hpp"

namespace evencube::detail {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using time = std::chrono::steady_clock::time_point;

TEST(call_order, finds_no_difference_between_equal_names) {
  call_order order;
  EXPECT_EQ(order.begin("one"), 1U);
  order.hear(1, 3, "one");
  order.hear(2, 3, "two");
  EXPECT_EQ(order.begin("two"), 2U);
  EXPECT_EQ(order.begun(), 2U);
  EXPECT_EQ(*order.name_of(1), "one");
  EXPECT_FALSE(order.mismatch());
}

TEST(call_order, finds_a_difference_with_what_was_said_before_or_after) {
  for (const bool before : {false, true}) {
    call_order order;
    if (before) order.hear(1, 3, "there");
    order.begin("here");
    if (!before) order.hear(1, 3, "there");
    ASSERT_TRUE(order.mismatch());
    EXPECT_EQ(order.mismatch()->call, 1U);
    EXPECT_EQ(order.mismatch()->here, "here");
    EXPECT_EQ(order.mismatch()->there, "there");
    EXPECT_EQ(order.mismatch()->rank, 3U);
  }
}

TEST(call_order, keeps_the_first_difference_and_the_last_names) {
  call_order order;
  order.begin("here");
  order.hear(1, 3, "first");
  order.hear(1, 4, "second");
  EXPECT_EQ(order.mismatch()->there, "first");
  for (int k = 0; k < 20; ++k) order.begin("later");
  EXPECT_EQ(order.name_of(1), nullptr);
  order.hear(1, 5, "long ago");
  EXPECT_EQ(order.mismatch()->there, "first");
}

TEST(task_types, keep_names_apart_and_end_with_the_first_group) {
  const auto type = [](std::string name) {
    return cluster_task_type{std::move(name), "int -> void", {}, typeid(int), typeid(no_result)};
  };
  task_types types;
  EXPECT_EQ(types.add(type("a")), 0U);
  EXPECT_EQ(types.add(type("b")), 1U);
  EXPECT_THROW(types.add(type("a")), std::invalid_argument);
  EXPECT_THROW(types.add(type("")), std::invalid_argument);
  const result_taker fits{typeid(int), typeid(no_result), nullptr, nullptr};
  const result_taker fits_none{typeid(long), typeid(no_result), nullptr, nullptr};
  types.check(std::vector{fits});
  EXPECT_THROW(types.check(std::vector{fits, fits_none}), error);
  EXPECT_TRUE(types.seal());
  EXPECT_FALSE(types.seal());
  EXPECT_THROW(types.add(type("c")), error);
}

TEST(group_table, knows_which_groups_are_over) {
  group_table groups;
  groups[1].counted[0] = 2;  // a message of it came first
  EXPECT_FALSE(groups.is_over(1));
  EXPECT_EQ(groups.make(nullptr), 0U);
  EXPECT_EQ(groups.make(nullptr), 1U);
  EXPECT_EQ(groups.on_its_way(), 2);
  groups[0].over = true;
  EXPECT_TRUE(groups.is_over(0));
  groups.erase(0);
  EXPECT_TRUE(groups.is_over(0));
  EXPECT_FALSE(groups.is_over(2));
  EXPECT_FALSE(groups.empty());
  EXPECT_EQ(groups.oldest(time::max()), groups[1].began);
}

job task_of(std::uint32_t cost, bool measured, unsigned home, std::size_t bytes) {
  job made;
  made.cost = cost;
  made.measured = measured;
  made.home = home;
  made.argument.resize(bytes);
  return made;
}

TEST(task_measures, guess_the_time_of_waiting_tasks) {
  task_measures known;
  known.add_type();
  EXPECT_EQ(known.seconds_of(10), 0);
  for (int k = 0; k < 100; ++k) known.ran(task_of(2, false, 0, 0), 0.5);
  EXPECT_DOUBLE_EQ(known.quantum_seconds(), 0.25);
  EXPECT_DOUBLE_EQ(known.seconds_of(8), 2);
  // Half of the quanta that ran were spawned by others: each waiting one brings one more.
  for (int k = 0; k < 20000; ++k) {
    known.ran(task_of(1, false, 0, 0), 0.25);
    if (k % 2 == 0) known.spawned_by_task(1);
  }
  EXPECT_NEAR(known.seconds_of(8), 4, 0.1);
}

TEST(task_measures, give_costs_to_tasks_without_one) {
  task_measures known;
  known.add_type();
  EXPECT_EQ(known.cost_of(0, 1e-3), 1U);
  known.ran(task_of(1, true, 0, 0), 10e-3);
  EXPECT_EQ(known.cost_of(0, 0), 1U);
  EXPECT_EQ(known.cost_of(0, 1e-3), 10U);
  EXPECT_EQ(known.cost_of(0, 1e-9), task_measures::most_cost);
}

TEST(task_measures, let_tasks_stay_that_travel_for_longer_than_they_run) {
  cluster_options options;
  options.message_seconds = 0;
  options.bytes_per_second = 1000;
  task_measures known;
  known.add_type();
  const auto goes = [&](std::size_t bytes, unsigned home, unsigned to) {
    return known.worth_its_way(task_of(1, true, home, bytes), 0, to, 1, options);
  };
  EXPECT_TRUE(goes(1'000'000, 0, 1));  // nothing is known
  known.ran(task_of(1, true, 0, 0), 1);
  EXPECT_TRUE(goes(1000, 0, 1));
  EXPECT_FALSE(goes(1001, 0, 1));
  known.travelled(0, 500);
  EXPECT_FALSE(goes(501, 0, 1));
  EXPECT_TRUE(goes(1000, 2, 1));
  EXPECT_TRUE(goes(1500, 1, 1));  // its result need not come back
  EXPECT_FALSE(goes(1501, 1, 1));
}

TEST(plan_steps, let_sends_wait_for_earlier_phases) {
  plan_steps steps(false);
  steps.begin(100);
  steps.add_receive({0, 7, 5});
  steps.add_send({0, 6, 1});
  steps.add_send({1, 5, 2});
  EXPECT_EQ(steps.next(1)->other, 6U);
  EXPECT_FALSE(steps.next(1));
  steps.came(2, 0, 7);  // of another round
  EXPECT_FALSE(steps.next(1));
  EXPECT_FALSE(steps.complete());
  steps.came(1, 0, 7);
  EXPECT_EQ(steps.next(1)->other, 5U);
  EXPECT_FALSE(steps.next(1));
  EXPECT_TRUE(steps.complete());
}

TEST(plan_steps, let_sends_go_that_have_enough_if_the_transmission_overlaps) {
  plan_steps steps(true);
  steps.begin(3);
  steps.add_receive({0, 7, 5});
  steps.add_send({1, 5, 2});
  steps.add_send({1, 4, 2});
  EXPECT_EQ(steps.next(1)->other, 5U);
  EXPECT_FALSE(steps.next(1));  // 1 is left
  steps.came(1, 0, 7);
  EXPECT_EQ(steps.next(1)->other, 4U);
  EXPECT_TRUE(steps.complete());
}

TEST(plan_steps, remember_what_came_before_the_plan) {
  plan_steps steps(false);
  steps.came(1, 0, 7);
  steps.begin(0);
  steps.add_receive({0, 7, 5});
  EXPECT_FALSE(steps.complete());
  EXPECT_FALSE(steps.next(1));
  EXPECT_TRUE(steps.complete());
}

TEST(round_pace, waits_for_longer_after_rounds_of_no_use) {
  round_pace pace;
  time now{};
  milliseconds last{0};
  for (int k = 0; k < 20; ++k) {
    pace.begin(now);
    pace.planned(false, false);
    pace.end(now, 8);
    milliseconds pause{0};
    while (!pace.may_begin(now + pause)) ++pause;
    EXPECT_GE(pause, last);
    last = pause;
    now += pause;
  }
  EXPECT_EQ(last, milliseconds{10});
  pace.begin(now);
  pace.planned(true, true);
  pace.end(now, 8);
  EXPECT_TRUE(pace.may_begin(now + microseconds{100}));
}

TEST(round_pace, pauses_after_a_round_for_eight_times_as_long_within_limits) {
  round_pace pace;
  const time now{};
  pace.begin(now);
  pace.planned(true, true);
  pace.end(now + milliseconds{1}, 256);
  EXPECT_FALSE(pace.may_begin(now + milliseconds{8}));
  EXPECT_TRUE(pace.may_begin(now + milliseconds{9}));
  pace.begin(now);
  pace.end(now + seconds{1}, 4);
  EXPECT_TRUE(pace.may_begin(now + seconds{1} + milliseconds{4}));
}

TEST(round_pace, finds_a_round_late_that_takes_much_longer_than_usual) {
  round_pace pace;
  const time now{};
  pace.begin(now);
  EXPECT_FALSE(pace.is_late(now + milliseconds{19}));
  EXPECT_TRUE(pace.is_late(now + milliseconds{20}));
  EXPECT_TRUE(pace.say_that_it_is_late());
  EXPECT_FALSE(pace.say_that_it_is_late());
  pace.end(now + seconds{1}, 4);
  EXPECT_NEAR(pace.seconds(), 20e-3, 1e-9);  // a late round counts as one of the longest kind
  pace.begin(now);
  EXPECT_FALSE(pace.is_late(now + milliseconds{159}));
  EXPECT_TRUE(pace.is_late(now + milliseconds{161}));
  EXPECT_TRUE(pace.say_that_it_is_late());
}

TEST(round_outlook, begins_rounds_where_something_can_be_given) {
  const time now{};
  round_outlook outlook;
  EXPECT_TRUE(outlook.wants_round(0, 4, true, false, 0, now));  // nothing is known of the others
  outlook.begin(now);
  for (unsigned k = 0; k < 4; ++k) outlook.add({.seconds = 1.0 * k, .hungry = k == 1});
  EXPECT_FALSE(outlook.wants_round(0, 4, false, false, 1e-3, now));
  EXPECT_TRUE(outlook.wants_round(0, 4, true, false, 1e-3, now));
  outlook.moves(3, 1, 0.5);
  EXPECT_FALSE(outlook.wants_round(0, 4, true, false, 1e-3, now));
}

TEST(round_outlook, says_that_it_is_hungry_if_others_have_work) {
  const time now{};
  round_outlook outlook;
  outlook.begin(now);
  for (unsigned k = 0; k < 2; ++k) outlook.add({.seconds = 0.1 * k, .hungry = false});
  EXPECT_TRUE(outlook.wants_round(0, 2, false, true, 1e-3, now));
  outlook.is_fed();
  // By then the other has next to nothing left, by a guess, which is believed for a while.
  const time later = now + milliseconds{99};
  EXPECT_FALSE(outlook.wants_round(0, 2, false, true, 1e-3, later));
  EXPECT_TRUE(outlook.wants_round(0, 2, false, true, 1e-3, later + milliseconds{2}));
}

TEST(spawning, is_waited_for_but_not_for_long) {
  const time now{};
  spawning program;
  EXPECT_TRUE(program.goes_on(true, now));
  EXPECT_TRUE(program.goes_on(true, now + microseconds{999}));
  EXPECT_FALSE(program.goes_on(true, now + milliseconds{1}));
  EXPECT_FALSE(program.goes_on(false, now));
  EXPECT_TRUE(program.goes_on(true, now + milliseconds{5}));
}

TEST(round_outlook, asks_of_a_round_what_it_costs) {
  EXPECT_DOUBLE_EQ(round_outlook::worth_a_round(0.5, seconds{1}), 0.5);
  EXPECT_DOUBLE_EQ(round_outlook::worth_a_round(0, milliseconds{100}), 0.4e-3);
  EXPECT_DOUBLE_EQ(round_outlook::worth_a_round(0, seconds{100}), 1e-3);
}

TEST(nap_lengths, grow_with_the_time_for_which_nothing_has_happened) {
  nap_lengths naps;
  const auto busy = [] { return false; };
  time now{};
  EXPECT_EQ(naps.next(now, false, busy), microseconds{10});
  EXPECT_EQ(naps.next(now, false, busy), microseconds{20});
  for (int k = 0; k < 10; ++k) static_cast<void>(naps.next(now, false, busy));
  EXPECT_EQ(naps.next(now, false, busy), microseconds{1000});
  EXPECT_EQ(naps.next(now + milliseconds{128}, false, busy), microseconds{2000});
  for (int k = 0; k < 10; ++k) static_cast<void>(naps.next(now + seconds{10}, false, busy));
  EXPECT_EQ(naps.next(now + seconds{10}, false, busy), milliseconds{10});
  EXPECT_EQ(naps.next(now + seconds{10}, true, busy), microseconds{20});  // a long message goes
  naps.wake();
  EXPECT_EQ(naps.next(now + seconds{20}, false, busy), microseconds{10});
}

TEST(nap_lengths, are_short_while_a_worker_has_nothing_to_do) {
  nap_lengths naps;
  const auto idle = [] { return true; };
  const time now{};
  for (int k = 0; k < 10; ++k) static_cast<void>(naps.next(now, false, idle));
  EXPECT_EQ(naps.next(now, false, idle), microseconds{50});
  EXPECT_EQ(naps.next(now + milliseconds{5}, false, idle), microseconds{100});
}

TEST(node_order, numbers_the_processes_of_a_node_one_after_another) {
  using all = std::vector<unsigned>;
  EXPECT_EQ(ranks_by_node(all{}), all{});
  EXPECT_EQ(ranks_by_node(all{7, 7, 7}), (all{0, 1, 2}));
  EXPECT_EQ(ranks_by_node(all{4, 9, 4, 9, 4, 1}), (all{0, 3, 1, 4, 2, 5}));
}

// Processes that a launcher has placed in turn on 4 nodes: of 5 neighbours in the cube of 32 ranks
// the lowest 3 are on the same node.
TEST(node_order, keeps_low_dimensions_within_nodes) {
  std::vector<unsigned> node_of(32);
  for (unsigned k = 0; k < 32; ++k) node_of[k] = k % 4;
  const std::vector<unsigned> ranks = ranks_by_node(node_of);
  std::vector<unsigned> node_of_rank(32);
  for (unsigned k = 0; k < 32; ++k) node_of_rank[ranks[k]] = node_of[k];
  for (unsigned rank = 0; rank < 32; ++rank) {
    for (unsigned dimension = 0; dimension < 5; ++dimension) {
      EXPECT_EQ(node_of_rank[rank] == node_of_rank[rank ^ (1U << dimension)], dimension < 3);
    }
  }
}

}  // namespace
}  // namespace evencube::detail
