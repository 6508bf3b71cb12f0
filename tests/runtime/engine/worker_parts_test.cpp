// The parts of a worker that need no worker: each by itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <evencube/detail/arena_stack.hpp>
#include <evencube/detail/contact.hpp>
#include <evencube/detail/cost_sampler.hpp>
#include <evencube/detail/ended_tasks.hpp>
#include <evencube/detail/largest_first_order.hpp>
#include <evencube/detail/loop_stack.hpp>
#include <evencube/detail/search_memory.hpp>
#include <evencube/detail/sharing_pace.hpp>
#include <evencube/detail/stock.hpp>
#include <evencube/detail/task_checks.hpp>
#include <evencube/detail/task_stack.hpp>
#include <evencube/evencube.hpp>
#include <span>
#include <utility>
#include <vector>

namespace evencube::detail {

// A policy of its own, so that arenas and groups are what this test needs of them.
struct counting_policy : std_atomics {
  static constexpr std::size_t queue_capacity = 8;
  static bool checks(const char* /*check*/) { return true; }
};

template <>
class basic_arena<counting_policy> {
 public:
  int references = 0;
  void retain() noexcept { ++references; }
  void release() noexcept { --references; }
};

template <>
class basic_group<counting_policy> {
 public:
  std::vector<std::int64_t> told;
  void finish_by_others(std::int64_t tasks) { told.push_back(tasks); }
};

}  // namespace evencube::detail

namespace evencube::worker_parts_test {
namespace {

using detail::counting_policy;

using detail::sharing_pace;

TEST(sharing_pace, shares_nothing_at_once_where_nobody_else_is) {
  sharing_pace pace(false);
  EXPECT_FALSE(pace.every_push());
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(pace.window_is_full());
}

TEST(sharing_pace, shares_every_push_while_tasks_are_long) {
  sharing_pace pace(true);
  std::int64_t now = 1'000'000;
  for (int window = 0; window < 3; ++window) {
    for (std::uint32_t i = 1; i < sharing_pace::window; ++i) EXPECT_FALSE(pace.window_is_full());
    EXPECT_TRUE(pace.window_is_full());
    now += (sharing_pace::fine_ns + 1) * sharing_pace::window;
    pace.pushed_at(now, false);
    EXPECT_TRUE(pace.every_push());
  }
}

TEST(sharing_pace, stops_for_short_tasks_and_goes_on_after_a_late_answer) {
  sharing_pace pace(true);
  pace.pushed_at(10, false);  // no time has passed
  EXPECT_FALSE(pace.every_push());
  pace.answered_late(20);
  EXPECT_TRUE(pace.every_push());
  pace.pushed_at(30, true);
  EXPECT_TRUE(pace.every_push()) << "rounds alone move tasks";
}

TEST(sharing_pace, takes_back_as_many_as_last_a_few_microseconds) {
  sharing_pace pace(true);
  std::int64_t now = 0;
  const auto ran = [&](std::int64_t each, bool single = false) {
    while (!pace.batch_is_due()) now += each;
    now += each * pace.batch();
    pace.batch_at(now, single);
    return pace.batch();
  };
  EXPECT_EQ(pace.batch(), 1U);
  std::uint32_t last = 1;
  for (int i = 0; i < 20; ++i) {
    const std::uint32_t batch = ran(10);
    EXPECT_LE(batch, 2 * last) << "it at most doubles";
    last = batch;
  }
  EXPECT_EQ(last, sharing_pace::largest_batch);
  for (int i = 0; i < 20; ++i) last = ran(1'000);
  EXPECT_EQ(last, sharing_pace::hidden_ns / 1'000);
  EXPECT_EQ(ran(1'000'000), 1U);
  EXPECT_EQ(ran(10, true), 1U) << "rounds alone move tasks";
}

using detail::cost_sampler;

TEST(cost_sampler, waits_between_samples_unless_tasks_are_long) {
  cost_sampler off(false);
  EXPECT_FALSE(off.due(1'000'000'000));

  cost_sampler sampler(true);
  EXPECT_TRUE(sampler.due(cost_sampler::between_ns + 1));
  std::int64_t now = 100;
  const int frame = 0;
  // Nothing touches the profile here: what would be added to it is looked at instead.
  alignas(64) std::byte room[64];
  auto* const profile = reinterpret_cast<detail::measured_profile*>(room);
  const auto sample = [&](std::int64_t took, cost_sampler::moment after) {
    std::int64_t measured = -1;
    sampler.begin(&frame, profile, 3, {5, 7}, [&] { return now; });
    EXPECT_TRUE(sampler.measures(&frame));
    EXPECT_FALSE(sampler.due(now + 1'000'000));
    now += took;
    const auto next = sampler.end(now, after, [&](auto&, std::int64_t ns, std::uint32_t hint) {
      EXPECT_EQ(hint, 3U);
      measured = ns;
    });
    EXPECT_FALSE(sampler.under_way());
    return std::pair{measured, next};
  };
  EXPECT_EQ(sample(50, {5, 7}), (std::pair{std::int64_t{50}, cost_sampler::next::later}));
  EXPECT_FALSE(sampler.due(now + cost_sampler::between_ns));
  EXPECT_EQ(sample(cost_sampler::long_task_ns, {5, 7}),
            (std::pair{cost_sampler::long_task_ns + 0, cost_sampler::next::draw}));
  const std::pair none{std::int64_t{-1}, cost_sampler::next::later};
  EXPECT_EQ(sample(50'000, {6, 7}), none) << "it ran another task meanwhile";
  EXPECT_EQ(sample(50'000, {5, 8}), none) << "it slept meanwhile";
}

TEST(cost_sampler, passes_over_as_many_as_were_drawn_but_no_unknown_function) {
  cost_sampler sampler(true);
  sampler.draw(cost_sampler::drawn_of + 2);
  EXPECT_FALSE(sampler.passes_over(true));
  EXPECT_TRUE(sampler.passes_over(false));
  EXPECT_TRUE(sampler.passes_over(false));
  EXPECT_FALSE(sampler.passes_over(false));
}

TEST(loop_stack, knows_the_innermost_loop_and_each_failure_once) {
  detail::loop_stack loops;
  EXPECT_EQ(loops.innermost(), nullptr);
  int outer = 0;
  int inner = 0;
  auto* const first = reinterpret_cast<detail::loop_frame*>(&outer);
  auto* const second = reinterpret_cast<detail::loop_frame*>(&inner);
  EXPECT_EQ(loops.enter(first), nullptr);
  EXPECT_EQ(loops.enter(second), first);
  EXPECT_EQ(loops.innermost(), second);
  loops.leave(first);
  EXPECT_EQ(loops.innermost(), first);
  EXPECT_FALSE(loops.failed_since(0));
  EXPECT_TRUE(loops.failed_since(2));
  EXPECT_FALSE(loops.failed_since(2));
}

TEST(ended_tasks, tells_a_group_once_and_before_another_one) {
  detail::basic_ended_tasks<counting_policy> ended;
  detail::basic_group<counting_policy> a;
  detail::basic_group<counting_policy> b;
  ended.tell();
  ended.add(a, 2);
  ended.add(a, 3);
  EXPECT_EQ(ended.group(), &a);
  EXPECT_TRUE(a.told.empty());
  ended.add(b, 1);
  EXPECT_EQ(a.told, std::vector<std::int64_t>{5});
  ended.tell();
  ended.tell();
  EXPECT_EQ(b.told, std::vector<std::int64_t>{1});
  EXPECT_EQ(ended.group(), nullptr);
}

TEST(arena_stack, finds_the_arena_of_each_frame) {
  using stack_type = detail::basic_arena_stack<counting_policy>;
  using frame = detail::basic_frame<counting_policy>;
  stack_type stack;
  stack_type::arena_type arena;
  frame before{nullptr, 0, nullptr};  // began before there were arenas
  EXPECT_EQ(stack.innermost(), nullptr);

  stack_type::record_type in_it{};
  stack.push(in_it, &arena, &before, true);
  frame of_it{nullptr, 0, &before};
  EXPECT_EQ(stack.innermost(), &arena);
  EXPECT_TRUE(stack.holds(arena));
  EXPECT_EQ(stack.at(&of_it, &of_it), &arena);
  EXPECT_EQ(stack.at(&of_it, &before), nullptr);

  stack_type::record_type outside{};
  stack.push(outside, nullptr, &of_it, false);
  frame of_another{nullptr, 0, &of_it};
  EXPECT_EQ(stack.innermost(), nullptr);
  EXPECT_TRUE(stack.holds(arena)) << "the permit is still its worker's";
  EXPECT_EQ(stack.at(&of_another, &of_another), nullptr);
  EXPECT_EQ(stack.at(&of_another, &of_it), &arena);
  stack.pop();
  EXPECT_EQ(stack.innermost(), &arena);
  stack.pop();
  EXPECT_FALSE(stack.holds(arena));
}

TEST(arena_stack, keeps_a_reference_to_the_arena_that_refused) {
  detail::basic_arena_stack<counting_policy> stack;
  detail::basic_arena<counting_policy> a;
  detail::basic_arena<counting_policy> b;
  stack.refuse(&a);
  EXPECT_EQ(a.references, 1);
  stack.refuse(&b);
  EXPECT_EQ(a.references, 0);
  EXPECT_EQ(stack.refused(), &b);
  stack.refuse(nullptr);
  EXPECT_EQ(b.references, 0);
  stack.reserve(&a);
  EXPECT_TRUE(stack.take_reserved());
  EXPECT_FALSE(stack.take_reserved());
}

// A queue of costs, the newest last, all of them private.
struct plain_queue {
  std::vector<detail::slot_word> words;
  std::uint32_t come = 0;

  [[nodiscard]] std::uint32_t costly() const { return come; }
  void forget_costly() { come = 0; }
  [[nodiscard]] std::uint32_t length() const { return static_cast<std::uint32_t>(words.size()); }
  [[nodiscard]] std::uint32_t private_length() const { return length(); }
  [[nodiscard]] std::uint32_t head_index() const { return length(); }
  static std::uint32_t reclaim(std::uint32_t) { return 0; }
  template <typename Change>
  void reorder(std::span<detail::slot_word> room, Change&& change) {
    std::copy(words.end() - static_cast<std::ptrdiff_t>(room.size()), words.end(), room.begin());
    change(room);
    std::copy(room.begin(), room.end(), words.end() - static_cast<std::ptrdiff_t>(room.size()));
  }
  [[nodiscard]] std::vector<std::uint32_t> costs() const {
    std::vector<std::uint32_t> result;
    for (const detail::slot_word word : words) result.push_back(detail::cost_of(word));
    return result;
  }
};

// A slot of one quantum. Nothing reads the task.
detail::slot_word slot_of(std::byte* place) {
  return detail::make_slot(reinterpret_cast<detail::task*>(place), 1);
}

TEST(stock, asks_for_attention_where_room_ends_and_while_it_is_recorded) {
  alignas(64) static std::byte task[64];
  detail::basic_stock<counting_policy> alone(false);
  EXPECT_FALSE(alone.open());
  alone.grant_quiet();
  unsigned pushes = 1;
  while (!alone.push(slot_of(task))) ++pushes;
  EXPECT_LE(pushes, counting_policy::queue_capacity);
  alone.make_room();
  EXPECT_FALSE(alone.push(slot_of(task)));
  alone.record(true);
  EXPECT_TRUE(alone.open());
  EXPECT_TRUE(alone.push(slot_of(task)));
  alone.make_room();
  EXPECT_TRUE(alone.push(slot_of(task))) << "every push is shared";
  alone.record(false);
  EXPECT_FALSE(alone.open());
  EXPECT_TRUE(detail::basic_stock<counting_policy>(true).open()) << "at first";
}

TEST(stock, answers_at_the_end_of_a_batch_unless_room_ends_before) {
  alignas(64) static std::byte task[64];
  detail::basic_stock<counting_policy> stock(true);
  EXPECT_FALSE(stock.answers_later());
  stock.begin_batch();
  for (std::size_t pushes = 1; pushes < counting_policy::queue_capacity; ++pushes) {
    EXPECT_TRUE(stock.answers_later()) << pushes;
    EXPECT_TRUE(stock.push(slot_of(task))) << "every push is shared at first";
  }
  EXPECT_FALSE(stock.answers_later()) << "the next push would be beyond the buffer";
  stock.make_room();
  EXPECT_TRUE(stock.answers_later());
  stock.end_batch();
  EXPECT_FALSE(stock.answers_later());
}

TEST(stock, is_full_beyond_the_backlog_unless_a_task_runs_at_once_or_in_a_batch) {
  alignas(64) static std::byte task[64];
  detail::basic_stock<counting_policy> stock(false);
  for (std::uint32_t i = 0; i <= stock.backlog; ++i) {
    EXPECT_FALSE(stock.full());
    if (stock.push(slot_of(task))) stock.make_room();
  }
  EXPECT_TRUE(stock.full());
  stock.begin_batch();
  EXPECT_FALSE(stock.full());
  stock.end_batch();
  stock.begin_at_once();
  EXPECT_FALSE(stock.full());
  EXPECT_FALSE(stock.end_at_once()) << "no push asked for more room";
  EXPECT_TRUE(stock.full());
  stock.begin_at_once();
  stock.grant_quiet();
  EXPECT_TRUE(stock.end_at_once());
  stock.bound_quiet();
  EXPECT_FALSE(stock.end_at_once());
}

TEST(task_stack, finds_the_frame_of_a_place_and_lowers_bases) {
  detail::basic_task_stack<counting_policy> stack;
  using frame = detail::basic_frame<counting_policy>;
  EXPECT_TRUE(stack.at_loop());
  EXPECT_EQ(stack.innermost()->current, nullptr);
  frame outer{nullptr, 5, stack.innermost()};
  stack.enter(outer);
  frame inner{nullptr, 9, stack.innermost()};
  stack.enter(inner);
  EXPECT_FALSE(stack.at_loop());
  EXPECT_EQ(stack.at_place(9), &inner);
  EXPECT_EQ(stack.at_place(8), &outer);
  EXPECT_EQ(stack.at_place(4)->outer, nullptr);
  stack.lower_bases(7);
  EXPECT_EQ(inner.base, 7U);
  EXPECT_EQ(outer.base, 5U);
  stack.leave(inner);
  EXPECT_EQ(stack.innermost(), &outer);
  stack.leave(outer);
  stack.seat_caller(true);
  EXPECT_FALSE(stack.at_loop()) << "a caller of run has no loop";
}

TEST(task_checks, are_none_unless_something_is_noted_of_tasks) {
  detail::task_checks checks(false, false);
  EXPECT_TRUE(checks.none());
  checks.want_sample();
  EXPECT_TRUE(checks.wants_sample());
  EXPECT_TRUE(checks.noted());
  checks.want_no_sample();
  EXPECT_TRUE(checks.none());
  checks.expect_arenas();
  EXPECT_TRUE(checks.arenas());
  EXPECT_FALSE(checks.none());
  EXPECT_FALSE(checks.noted());

  int log = 0;
  detail::task_checks recorded(true, false);
  EXPECT_TRUE(recorded.sampler().enabled());
  recorded.record(reinterpret_cast<detail::event_log*>(&log), false);
  EXPECT_TRUE(recorded.noted());
  recorded.record(nullptr, true);
  EXPECT_TRUE(recorded.noted()) << "an observer is notified";
  recorded.record(nullptr, false);
  EXPECT_TRUE(recorded.none());
  EXPECT_TRUE(detail::task_checks(false, true).noted());
}

TEST(contact, is_not_deserted_at_first_and_keeps_mail_and_requests) {
  alignas(64) static std::byte task[64];
  detail::basic_contact<counting_policy> contact;
  EXPECT_FALSE(contact.deserted());
  contact.set_deserted(true);
  EXPECT_TRUE(contact.deserted());
  detail::message one;
  one.add_newest(slot_of(task));
  EXPECT_FALSE(contact.inbox().send(one)) << "nobody sleeps";
  EXPECT_TRUE(contact.bell().raised());
  EXPECT_FALSE(contact.inbox().empty());
  EXPECT_FALSE(contact.lifeline().asked());
}

TEST(search_memory, draws_differ_between_workers) {
  detail::search_memory first(0);
  detail::search_memory second(1);
  EXPECT_EQ(second.place, 1U);
  EXPECT_NE(first.draw(), second.draw());
  EXPECT_NE(first.draw(), first.draw());
}

TEST(largest_first_order, brings_large_tasks_to_both_ends_and_leaves_what_lies_beneath) {
  alignas(64) static std::byte task[64];
  plain_queue queue;
  for (const std::uint32_t cost : {9U, 1U, 2U, 4U, 7U}) {
    queue.words.push_back(detail::make_slot(reinterpret_cast<detail::task*>(&task), cost));
  }
  detail::largest_first_order order;
  EXPECT_FALSE(order.due(queue, 0)) << "every task counts for one quantum";
  queue.come = 5;
  EXPECT_TRUE(order.due(queue, 0));
  order.begin(queue, 0);
  EXPECT_TRUE(order.arrange(queue, 1));
  EXPECT_EQ(queue.costs().front(), 9U) << "beneath the base nothing moves";
  EXPECT_EQ(queue.costs().back(), 7U);
  EXPECT_EQ(queue.costs()[1], 4U);
  EXPECT_FALSE(order.due(queue, 0));
  queue.words.resize(3);
  EXPECT_TRUE(order.due(queue, 2)) << "more than a quarter is gone";
  order.leave_as_it_is(queue);
  EXPECT_FALSE(order.due(queue, 2));
  EXPECT_FALSE(order.arrange(queue, 2)) << "too few";
}

}  // namespace
}  // namespace evencube::worker_parts_test
