// The split deque (runtime/src/queues/deque.md): owner against claimers.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <evencube/detail/split_deque.hpp>

#include "explored.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
using deque = detail::basic_split_deque<explored>;

// Tasks are numbers from 1 on, in the place of addresses; what they carry is written before they
// are queued and read by whoever got them. Invariant: every task is got exactly once.
class queue_scenario : public explorer::scenario {
 public:
  explicit queue_scenario(unsigned tasks) : tasks_(tasks) {}

  void check() override {
    while (take_own()) {
    }
    for (unsigned t = 1; t <= tasks_; ++t) require(got_[t] == 1, "a task was lost or got twice");
  }

 protected:
  static detail::slot_word slot_of(unsigned t) { return std::uint64_t{t} << 4; }

  void push(unsigned t) {
    payload_[t] = t;
    if (queue_.needs_attention(queue_.push(slot_of(t)))) queue_.make_room(false);
  }
  void share(std::uint32_t count) {
    queue_.share(count, [](detail::slot_word, std::uint32_t) {});
  }
  void get(detail::slot_word word) {
    const auto t = static_cast<unsigned>(word >> 4);
    require(t >= 1 && t <= tasks_, "what was got is no task");
    require(payload_[t] == t, "what the task carries is not there");
    payload_[t] = 0;
    ++got_[t];
  }
  /// As a worker's `next_own` does: the newest, from the shared part if it must be.
  bool take_own() {
    detail::slot_word word = queue_.pop_private();
    if (word == 0 && queue_.reclaim(1) != 0) word = queue_.pop_private();
    if (word != 0) get(word);
    return word != 0;
  }
  void claim(std::uint32_t count) {
    std::array<detail::slot_word, 8> taken;
    const deque::claimed got = queue_.claim(count, taken.data());
    require(got.taken == got.tasks, "an empty slot was claimed");
    for (std::uint32_t i = 0; i < got.tasks; ++i) get(taken[i]);
  }

  unsigned tasks_;
  deque queue_{8};
  std::array<explored::plain<unsigned>, 24> payload_;
  std::array<unsigned, 24> got_{};
};

// Owner and two claimers want the same ones.
struct last_task : queue_scenario {
  last_task() : queue_scenario(3) {}
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) return claim(k);
    push(1);
    share(1);
    push(2);
    share(1);
    take_own();
    push(3);
    share(1);
    take_own();
    take_own();
  }
};

TEST(queue, last_task) { expect_holds<last_task>({5, 4}); }

TEST(queue, seeded_dropped_release) {
  expect_found<last_task>("dropped release in share", {harm::weaken, "share", action::fetch_add},
                          "data race");
}
TEST(queue, seeded_dropped_acquire) {
  expect_found<last_task>("dropped acquire in claim",
                          {harm::weaken, "claim", action::compare_exchange}, "data race");
}
TEST(queue, seeded_double_take_by_a_claimer) {
  expect_found<last_task>("double take: torn claim",
                          {harm::tear, "claim", action::compare_exchange}, "");
}
TEST(queue, seeded_double_take_by_the_owner) {
  expect_found<last_task>("double take: torn reclaim",
                          {harm::tear, "reclaim", action::compare_exchange}, "");
}
// What a tag would be for, if slots were read before the swap.
TEST(queue, seeded_slots_read_before_the_swap) {
  expect_found<last_task>("tag skipped: slots read early",
                          {harm::hoist, "claim", action::compare_exchange}, "");
}

// The buffer's end is reached, twice, while a claimer copies.
struct grow_while_claimed : queue_scenario {
  grow_while_claimed() : queue_scenario(20) {
    for (unsigned t = 1; t <= 6; ++t) push(t);
    share(6);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      claim(4);
      claim(2);
      return;
    }
    for (unsigned t = 7; t <= 20; ++t) {
      push(t);
      if (t % 4 == 3) share(3);
      if (t % 4 == 0) take_own();
    }
  }
};

TEST(queue, grow_while_claimed) { expect_holds<grow_while_claimed>({4, 3}); }

TEST(queue, seeded_buffer_reused_while_it_is_read) {
  expect_found<grow_while_claimed>("ring grows while it is read", {harm::ignore, "queue.copied"},
                                   "");
}
TEST(queue, seeded_buffer_published_without_release) {
  expect_found<grow_while_claimed>("dropped release in relocate",
                                   {harm::weaken, "relocate", action::store}, "data race");
}

// A claimer is interrupted while it copies: two more may claim, and the owner goes on.
struct preempted_copier : queue_scenario {
  preempted_copier() : queue_scenario(12) {
    for (unsigned t = 1; t <= 6; ++t) push(t);
    share(6);
  }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) return claim(2);
    for (unsigned t = 7; t <= 12; ++t) push(t);
    share(2);
    take_own();
  }
};

TEST(queue, preempted_copier) { expect_holds<preempted_copier>({3, 3}); }

}  // namespace
}  // namespace evencube::test
