// Mailboxes, and the blocks that come back to their pool (runtime/src/queues/mailbox.md).

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <evencube/detail/mailbox.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/split_deque.hpp>
#include <evencube/detail/treiber_stack.hpp>

#include "explored.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;

// Invariant mailbox.linked: every task that is sent is received once, whole, by any of the
// receivers.
struct parcel : detail::task {
  [[nodiscard]] detail::slot_word word() const noexcept { return detail::make_slot(this, 2); }

  explored::plain<unsigned> carried{0};
  explored::plain<unsigned> received{0};
};

template <unsigned Tasks>
struct post : explorer::scenario {
  detail::basic_mailbox<explored> box;
  std::array<parcel, Tasks> parcels;

  /// Sends parcels [first, last) together.
  void send(unsigned first, unsigned last) {
    detail::message sent;
    for (unsigned i = first; i < last; ++i) {
      parcels[i].carried = 1;
      sent.add_newest(parcels[i].word());
    }
    box.send(sent);
  }
  /// Takes all messages in the box; returns the number of tasks.
  unsigned take() {
    detail::message all = box.take();
    const unsigned n = all.tasks;
    require(all.quanta == 2 * n, "a message holds more or less than it says");
    for (unsigned left = n; left != 0; --left) {
      auto& got = static_cast<parcel&>(*detail::task_of(all.take_newest()));
      require(got.carried == 1, "what the task carries is not there");
      ++got.received;
    }
    require(all.empty(), "a message holds more or less than it says");
    return n;
  }
  void check() override {
    take();
    for (const parcel& p : parcels) require(p.received == 1, "a task was lost or got twice");
    require(box.quanta() == 0, "quanta are left of nothing");
  }
};

// Two threads send, one message of two tasks and one of one; two threads take.
struct many_send_and_take : post<3> {
  [[nodiscard]] unsigned threads() const override { return 4; }
  void run(unsigned k) override {
    if (k >= 2) {
      take();
      return;
    }
    k == 0 ? send(0, 2) : send(2, 3);
  }
};

TEST(mailbox, many_send_and_take) { expect_holds<many_send_and_take>({4, 4}); }

TEST(mailbox, seeded_torn_send) {
  expect_found<many_send_and_take>("torn send", {harm::tear, "send", action::compare_exchange}, "");
}
TEST(mailbox, seeded_torn_taking) {
  expect_found<many_send_and_take>("torn taking", {harm::tear, "take", action::exchange}, "");
}
TEST(mailbox, seeded_taken_without_acquire) {
  expect_found<many_send_and_take>("taken without acquire",
                                   {harm::weaken, "take", action::exchange}, "data race");
}

// Two threads send; one takes single tasks, whose rest another one must find.
struct take_one_by_one : post<4> {
  [[nodiscard]] unsigned threads() const override { return 4; }
  void run(unsigned k) override {
    if (k < 2) return k == 0 ? send(0, 3) : send(3, 4);
    if (k == 2) {
      take();
      return;
    }
    for (int i = 0; i < 2; ++i) {
      bool left = false;
      const detail::slot_word one = box.take_one(left);
      if (one == 0) continue;
      auto& got = static_cast<parcel&>(*detail::task_of(one));
      require(got.carried == 1, "what the task carries is not there");
      require(got.next_ == 0, "a task that was taken alone has a successor");
      ++got.received;
    }
  }
};

TEST(mailbox, take_one_by_one) { expect_holds<take_one_by_one>({3, 3}); }

TEST(mailbox, seeded_one_taken_without_acquire) {
  expect_found<take_one_by_one>("one taken without acquire",
                                {harm::weaken, "take_one", action::exchange}, "data race");
}
TEST(mailbox, seeded_torn_putting_back) {
  expect_found<take_one_by_one>("torn putting back",
                                {harm::tear, "take_one", action::compare_exchange}, "");
}

// Two threads send while the receiver empties its box and parks.
struct mail_while_parking : post<3> {
  detail::basic_signal_word<explored> bell;

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) {
      k == 1 ? send(0, 2) : send(2, 3);
      bell.raise(detail::signal_mail);
      return;
    }
    for (unsigned missing = 3; missing != 0;) {
      if (bell.raised() && (bell.take() & detail::signal_mail) != 0) {
        missing -= take();
      } else {
        bell.sleep();
      }
    }
  }
};

TEST(mailbox, mail_while_parking) { expect_holds<mail_while_parking>({4, 4}); }

TEST(mailbox, seeded_message_sent_without_release) {
  // The bell also publishes the message, but a message may be found before its bell.
  expect_found<mail_while_parking>("message sent without release",
                                   {harm::weaken, "send", action::compare_exchange}, "data race");
}
TEST(mailbox, seeded_message_after_the_bell) {
  expect_found<mail_while_parking>("bell rung before the message is there",
                                   {harm::postpone, "send", action::compare_exchange}, "");
}

// Two workers free blocks of a third worker's pool, in chains, while the third takes blocks back.
struct blocks_come_back : explorer::scenario {
  struct block {
    explored::plain<block*> next{nullptr};
    unsigned taken = 0;
  };
  detail::treiber_stack<block, explored> returned;
  block blocks[6];

  [[nodiscard]] unsigned threads() const override { return 3; }
  void take_all() {
    for (block* b = returned.take(); b != nullptr; b = b->next) ++b->taken;
  }
  void run(unsigned k) override {
    if (k == 0) {
      take_all();
      take_all();
      return;
    }
    block* const mine = blocks + 3 * (k - 1);
    mine[0].next = &mine[1];
    returned.push(&mine[0], &mine[1]);
    returned.push(&mine[2], &mine[2]);
  }
  void check() override {
    take_all();
    for (const block& b : blocks) require(b.taken == 1, "a block was lost or came back twice");
  }
};

TEST(mailbox, blocks_come_back) { expect_holds<blocks_come_back>({8, 8}); }

TEST(mailbox, seeded_torn_return) {
  expect_found<blocks_come_back>("torn return of blocks",
                                 {harm::tear, "push", action::compare_exchange}, "");
}

// A round in progress: the leader claims tasks from worker 0, which goes on working, and sends them
// to worker 1. Invariant waiting.match: every task is run once, by either.
struct round_under_way : post<3> {
  detail::basic_split_deque<explored> queue{8};
  detail::basic_signal_word<explored> bell;
  explored::atomic<unsigned> left{3};

  round_under_way() {
    for (parcel& p : parcels) {
      p.carried = 1;
      queue.push_costly(p.word());
    }
    queue.share(3, [](detail::slot_word, std::uint32_t) {});
  }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void finish(unsigned n) {
    if (n != 0 && left.fetch_sub(n, std::memory_order_acq_rel) == n) {
      bell.raise(detail::signal_stop);
    }
  }
  void run(unsigned k) override {
    if (k == 0) {
      while (queue.reclaim(1) != 0) {
        ++static_cast<parcel&>(*detail::task_of(queue.pop_private())).received;
        finish(1);
      }
    } else if (k == 1) {
      for (;;) {
        const std::uint32_t bits = bell.raised() ? bell.take() : 0;
        if ((bits & detail::signal_mail) != 0) finish(take());
        if ((bits & detail::signal_stop) != 0) return;
        bell.sleep();
      }
    } else {
      std::array<detail::slot_word, 2> taken;
      const auto got = queue.claim(2, taken.data());
      detail::message sent;
      for (std::uint32_t i = 0; i < got.tasks; ++i) sent.add_newest(taken[i]);
      if (sent.empty()) return;
      box.send(sent);
      bell.raise(detail::signal_mail);
    }
  }
};

TEST(rounds, round_under_way) { expect_holds<round_under_way>({4, 3}); }

TEST(rounds, seeded_double_take_by_the_leader) {
  expect_found<round_under_way>("leader's claim is torn",
                                {harm::tear, "claim", action::compare_exchange}, "");
}

// A round takes the mail of a worker that parks, moves a task on and returns the others. Invariant
// migration.mail: every task is received once, and the worker does not sleep over returned mail.
struct mail_in_a_round : post<3> {
  detail::basic_signal_word<explored> bell;
  explored::atomic<unsigned> left{3};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void finish(unsigned n) {
    if (n != 0 && left.fetch_sub(n, std::memory_order_acq_rel) == n) {
      bell.raise(detail::signal_stop);
    }
  }
  void run(unsigned k) override {
    if (k == 0) {
      send(0, 3);
      bell.raise(detail::signal_mail);
    } else if (k == 1) {
      for (;;) {
        const std::uint32_t bits = bell.raised() ? bell.take() : 0;
        if ((bits & detail::signal_mail) != 0) finish(take());
        if ((bits & detail::signal_stop) != 0) return;
        bell.sleep();
      }
    } else {
      detail::message all = box.take();
      if (all.empty()) return;
      ++static_cast<parcel&>(*detail::task_of(all.take_newest())).received;
      box.send(all);
      bell.raise(detail::signal_mail);
      finish(1);
    }
  }
};

TEST(rounds, mail_in_a_round) { expect_holds<mail_in_a_round>({4, 3}); }

TEST(rounds, seeded_mail_returned_after_the_bell) {
  expect_found<mail_in_a_round>("mail comes back after the bell",
                                {harm::postpone, "send", action::compare_exchange}, "");
}

}  // namespace
}  // namespace evencube::test
