// Links, letters and rounds under way (runtime/docs/links.md, rounds.md).

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <evencube/detail/chain_stack.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/split_deque.hpp>
#include <memory>
#include <vector>

#include "explored.hpp"
#include "links.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
template <std::size_t Capacity>
using links = detail::basic_links<explorer::spsc_queue<detail::link_parcel*, Capacity>>;

struct letter {
  explicit letter(detail::slot_word of) : word(of) {}
  explored::plain<detail::slot_word> word;
  explored::plain<letter*> next{nullptr};
};

// Worker 1 of two and what reaches it. Invariant L: every task that is sent is received once, and a
// worker that sleeps is woken for it.
template <unsigned Tasks>
struct receiver {
  links<2> ways{2, 1};
  detail::chain_stack<letter, explored> letters;
  detail::basic_signal_word<explored> bell;
  std::array<explored::plain<unsigned>, Tasks + 1> payload;
  std::array<unsigned, Tasks + 1> got{};

  void mail(detail::slot_word word) {
    auto* const sent = new letter(word);
    letters.push(sent, sent);
    bell.raise(detail::signal_mail);
  }
  /// As rounds::deliver does: by the link, or by letters if that is full.
  void send(std::uint32_t from, detail::slot_word word) {
    payload[word] = static_cast<unsigned>(word);
    if (ways.has_room(from, 1)) {
      ways.send(from, 1, std::make_unique<detail::link_parcel>(1, word));
      bell.raise(detail::signal_mail);
    } else {
      mail(word);
    }
  }
  unsigned collect() {
    std::vector<detail::slot_word> arrived;
    for (letter* l = letters.take(); l != nullptr;) {
      const std::unique_ptr<letter> read(l);
      arrived.push_back(read->word);
      l = read->next;
    }
    ways.receive(1, arrived);
    for (const detail::slot_word word : arrived) {
      require(payload[word] == word, "what the task carries is not there");
      ++got[word];
    }
    return static_cast<unsigned>(arrived.size());
  }
  void collect_all(unsigned expected) {
    while (expected > 0) {
      if (bell.raised() && (bell.take() & detail::signal_mail) != 0) {
        expected -= collect();
      } else {
        bell.sleep();
      }
    }
  }
};

// The sender is quicker than the receiver: the link fills up, the rest goes by letters.
struct full_link : explorer::scenario {
  receiver<4> to;
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return to.collect_all(4);
    for (unsigned t = 1; t <= 4; ++t) to.send(0, t);
  }
  void check() override {
    for (unsigned t = 1; t <= 4; ++t) require(to.got[t] == 1, "a task was lost or got twice");
  }
};

TEST(links, full_link) { expect_holds<full_link>({4, 3}); }

TEST(links, seeded_parcel_sent_without_release) {
  expect_found<full_link>("dropped release on a link", {harm::weaken, "push", action::store},
                          "data race");
}

// Two threads write letters while the worker empties its box and lies down.
struct letters_while_lying_down : explorer::scenario {
  receiver<3> to;
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) return to.collect_all(3);
    for (unsigned t = k; t <= 3; t += 2) {
      to.payload[t] = t;
      to.mail(t);
    }
  }
  void check() override {
    for (unsigned t = 1; t <= 3; ++t) require(to.got[t] == 1, "a task was lost or got twice");
  }
};

TEST(links, letters_while_lying_down) { expect_holds<letters_while_lying_down>({4, 4}); }

TEST(links, seeded_letter_sent_without_release) {
  expect_found<letters_while_lying_down>(
      "dropped release on a letter", {harm::weaken, "push", action::compare_exchange}, "data race");
}
TEST(links, seeded_letter_after_the_bell) {
  expect_found<letters_while_lying_down>("bell rung before the letter is there",
                                         {harm::postpone, "push", action::compare_exchange}, "");
}
TEST(links, seeded_torn_letter_box) {
  expect_found<letters_while_lying_down>("torn letter box", {harm::tear, "take", action::exchange},
                                         "");
}

// Two workers free blocks of a third one's pool, in chains, while it takes back what there is.
struct blocks_come_back : explorer::scenario {
  struct block {
    explored::plain<block*> next{nullptr};
    unsigned taken = 0;
  };
  detail::chain_stack<block, explored> returned;
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

TEST(links, blocks_come_back) { expect_holds<blocks_come_back>({8, 8}); }

TEST(links, seeded_torn_return) {
  expect_found<blocks_come_back>("torn return of blocks",
                                 {harm::tear, "push", action::compare_exchange}, "");
}

// A round under way: the leader claims from worker 0, which goes on working, and sends what it got
// to worker 1. Invariant M: every task is run once, by either.
struct round_under_way : explorer::scenario {
  detail::basic_split_deque<explored> queue{8};
  receiver<3> to;
  explored::atomic<unsigned> left{3};
  std::array<unsigned, 4> run_here{};

  round_under_way() {
    for (unsigned t = 1; t <= 3; ++t) {
      to.payload[t] = t;
      queue.push(std::uint64_t{t} << 4);
    }
    queue.share(3, [](detail::slot_word, std::uint32_t) {});
  }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void finish(unsigned n) {
    if (n != 0 && left.fetch_sub(n, std::memory_order_acq_rel) == n) {
      to.bell.raise(detail::signal_stop);
    }
  }
  void run(unsigned k) override {
    if (k == 0) {
      while (queue.reclaim(1) != 0) {
        const detail::slot_word word = queue.pop_private();
        ++run_here[word >> 4];
        finish(1);
      }
    } else if (k == 1) {
      for (;;) {
        const std::uint32_t bits = to.bell.raised() ? to.bell.take() : 0;
        if ((bits & detail::signal_mail) != 0) finish(to.collect());
        if ((bits & detail::signal_stop) != 0) return;
        to.bell.sleep();
      }
    } else {
      std::vector<detail::slot_word> taken;
      queue.claim(2, taken);
      for (const detail::slot_word word : taken) to.send(0, word >> 4);
    }
  }
  void check() override {
    for (unsigned t = 1; t <= 3; ++t) {
      require(to.got[t] + run_here[t] == 1, "a task was lost or run twice");
    }
  }
};

TEST(rounds, round_under_way) { expect_holds<round_under_way>({4, 3}); }

TEST(rounds, seeded_double_take_by_the_leader) {
  expect_found<round_under_way>("leader's claim is torn",
                                {harm::tear, "claim", action::compare_exchange}, "");
}

}  // namespace
}  // namespace evencube::test
