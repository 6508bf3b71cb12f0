// Lifelines, parking and waking (runtime/src/queues/deque.md, parking.md): nobody sleeps on while
// there is work.

#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/detail/lifeline.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/split_deque.hpp>

#include "explored.hpp"
#include "queues/injector.hpp"
#include "sync/parking.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
using signals = detail::basic_signal_word<explored>;

// Two neighbours leave their requests while the owner pushes. Invariant queue.requests: a request
// that was made before a push began has been served when the push has ended.
struct request_during_share : explorer::scenario {
  detail::basic_split_deque<explored> queue{8};
  detail::basic_lifeline<explored> lifeline;
  explored::atomic<bool> made[2];
  std::uint64_t granted = 0;

  [[nodiscard]] unsigned threads() const override { return 3; }
  void serve() {
    lifeline.serve(
        queue,
        [this] { queue.share(queue.private_length(), [](detail::slot_word, std::uint32_t) {}); },
        [this](std::uint64_t bits) { granted |= bits; });
  }
  void push() {
    const bool before[2] = {made[0].load(std::memory_order_acquire),
                            made[1].load(std::memory_order_acquire)};
    if (queue.needs_attention(queue.push(16))) {
      queue.make_room(false);
      serve();
    }
    for (unsigned k = 0; k < 2; ++k) {
      require(!before[k] || (granted >> k & 1) != 0, "a request was lost");
    }
  }
  void run(unsigned k) override {
    if (k != 0) {
      lifeline.ask(std::uint64_t{1} << (k - 1), 0, queue);
      made[k - 1].store(true, std::memory_order_release);
      return;
    }
    if (lifeline.asked()) serve();  // nothing to share yet
    push();
    push();
    push();
  }
};

TEST(sleeping, request_during_share) { expect_holds<request_during_share>({4, 4}); }

TEST(sleeping, seeded_lost_request_bit) {
  expect_found<request_during_share>("lost request bit: torn exchange",
                                     {harm::tear, "serve", action::exchange}, "a request was lost");
}
TEST(sleeping, seeded_bit_after_the_limit) {
  expect_found<request_during_share>("request bit set after the limit",
                                     {harm::postpone, "ask", action::fetch_or},
                                     "a request was lost");
}
TEST(sleeping, seeded_limit_not_written) {
  expect_found<request_during_share>("limit not written",
                                     {harm::omit, "demand_attention", action::exchange},
                                     "a request was lost");
}

// Workers that sleep when they find nothing, and outside threads that inject. Invariants
// parking.word and parking.last-look: all that is injected is got, once, and all workers end.
template <unsigned Workers, unsigned Injectors, unsigned Each>
struct inject_while_parking : explorer::scenario {
  detail::basic_injector<explored> injected{4};
  detail::basic_idle_set<explored> idle{Workers};
  signals bells[Workers];
  explored::plain<unsigned> payload[1 + Injectors * Each];
  explored::atomic<unsigned> got{0};

  [[nodiscard]] unsigned threads() const override { return Workers + Injectors; }
  void inject(unsigned task) {
    payload[task] = task;
    require(injected.push(task), "the queue is not full");
    idle.wake_one([](std::uint32_t) { return true; },
                  [this](std::uint32_t k) { bells[k].raise(detail::signal_work); });
  }
  void run(unsigned k) override {
    if (k >= Workers) {
      for (unsigned i = 0; i < Each; ++i) inject(1 + (k - Workers) * Each + i);
      return;
    }
    for (;;) {
      if (bells[k].raised() && (bells[k].take() & detail::signal_stop) != 0) return;
      if (const std::uint64_t task = injected.take(); task != 0) {
        require(payload[task] == task, "what the task carries is not there");
        payload[task] = 0;
        if (got.fetch_add(1, std::memory_order_relaxed) + 1 == Injectors * Each) {
          for (signals& bell : bells) bell.raise(detail::signal_stop);
        }
      } else {
        detail::park(
            bells[k], [&] { idle.announce(k); }, [this] { return injected.ready(); },
            [&] { idle.retract(k); });
      }
    }
  }
};
using one_worker = inject_while_parking<1, 2, 1>;
using two_workers = inject_while_parking<2, 1, 2>;

TEST(sleeping, inject_while_parking) { expect_holds<one_worker>({4, 3}); }
TEST(sleeping, two_wakers_find_two_workers) { expect_holds<two_workers>({3, 3}); }
TEST(sleeping, three_inject_and_three_park) {
  expect_holds_by_chance<inject_while_parking<3, 3, 1>>(5000);
}

TEST(sleeping, seeded_waking_before_publishing) {
  expect_found<one_worker>("waking before publishing", {harm::postpone, "push", action::store},
                           "nobody can go on");
}
TEST(sleeping, seeded_not_announced) {
  expect_found<one_worker>("idle worker not announced", {harm::omit, "announce", action::fetch_or},
                           "nobody can go on");
}
// The total order of invariant parking.last-look: x86 would give it to the read-modify-write in any
// case.
TEST(sleeping, seeded_announced_without_total_order) {
  expect_found<one_worker>("announced without total order",
                           {harm::weaken, "announce", action::fetch_or}, "nobody can go on",
                           memory_model::weak);
}
TEST(sleeping, seeded_last_look_without_total_order) {
  expect_found<one_worker>("last look without total order", {harm::weaken, "ready", action::load},
                           "nobody can go on", memory_model::weak);
}
TEST(sleeping, seeded_idle_looked_at_without_total_order) {
  expect_found<one_worker>("idle looked at without total order",
                           {harm::weaken, "wake_one", action::load}, "nobody can go on",
                           memory_model::weak);
}
TEST(sleeping, seeded_torn_parking) {
  expect_found<one_worker>("torn swap to parked", {harm::tear, "sleep", action::compare_exchange},
                           "nobody can go on");
}
TEST(sleeping, seeded_word_published_without_release) {
  expect_found<one_worker>("dropped release in the ring", {harm::weaken, "push", action::store},
                           "data race");
}

// The ring goes round while some push and others take.
template <unsigned Pushers, unsigned Takers>
struct full_ring : explorer::scenario {
  detail::basic_injector<explored> ring{2};
  unsigned pushed = 0;
  unsigned taken = 0;
  unsigned sum = 0;
  unsigned pushed_sum = 0;

  [[nodiscard]] unsigned threads() const override { return Pushers + Takers; }
  void take(unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      const std::uint64_t word = ring.take();
      if (word != 0) ++taken;
      sum += static_cast<unsigned>(word);
    }
  }
  void run(unsigned k) override {
    if (k >= Pushers) return take(2);
    for (unsigned word : {1U << 4 * k, 4U << 4 * k}) {
      if (!ring.push(word)) continue;
      ++pushed;
      pushed_sum += word;
    }
  }
  void check() override {
    take(4);
    require(pushed == taken && sum == pushed_sum, "a word was lost or got twice");
  }
};

TEST(sleeping, full_ring) { expect_holds<full_ring<2, 1>>({5, 4}); }
TEST(sleeping, two_take) { expect_holds<full_ring<1, 2>>({5, 5}); }

TEST(sleeping, seeded_torn_reservation) {
  expect_found<full_ring<2, 1>>("torn reservation", {harm::tear, "push", action::compare_exchange},
                                "");
}
TEST(sleeping, seeded_torn_taking) {
  expect_found<full_ring<1, 2>>("torn taking", {harm::tear, "take", action::compare_exchange}, "");
}

}  // namespace
}  // namespace evencube::test
