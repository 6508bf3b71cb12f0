// Calls of the balancer's thread (runtime/src/balance/migration.md): each is followed by a round.

#include "balance/round_calls.hpp"

#include <gtest/gtest.h>

#include "explored.hpp"

namespace evencube::test {
namespace {

struct calls_policy : explorer::explored {
  static std::int64_t now() { return now_ns(); }
};
using explorer::require;
using round_calls = detail::basic_round_calls<calls_policy>;

// Two workers queue a task and call. Invariant migration.kept: the rounds of thread 0 end with one
// that finds both tasks, though none may begin soon after another.
struct called_twice : explorer::scenario {
  static constexpr std::int64_t rest_ns = 5;

  round_calls calls;
  calls_policy::atomic<unsigned> load{0};
  std::int64_t not_before = 0;

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) {
      load.fetch_add(1, std::memory_order_relaxed);
      calls.call();
      return;
    }
    calls.serve(
        0, [this] { return not_before; },
        [this] {
          require(calls_policy::now() >= not_before, "a round began too soon");
          not_before = calls_policy::now() + rest_ns;
          if (load.load(std::memory_order_relaxed) == 2) calls.stop();
          return true;
        });
  }
};

TEST(round_calls, called_twice) { expect_holds<called_twice>({4, 4}); }

TEST(round_calls, seeded_call_forgotten_late) {
  expect_found<called_twice>("call forgotten after the loads were read",
                             {harm::postpone, "serve", action::exchange}, "nobody can go on");
}
TEST(round_calls, seeded_call_without_what_came_before_it) {
  expect_found<called_twice>("call without what came before it",
                             {harm::weaken, "call", action::exchange}, "nobody can go on",
                             memory_model::weak);
}
TEST(round_calls, seeded_call_that_does_not_ring) {
  expect_found<called_twice>("call that does not ring", {harm::omit, "raise", action::fetch_or},
                             "nobody can go on");
}

// The runtime is held when a worker calls: the round follows when it is held no more.
struct called_under_hold : explorer::scenario {
  round_calls calls;
  calls_policy::atomic<bool> closed{true};
  unsigned rounds = 0;

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 1) {
      calls.call();
      return;
    }
    if (k == 2) {
      closed.store(false, std::memory_order_seq_cst);
      calls.gate_opened();
      return;
    }
    calls.serve(
        0, [] { return 0; },
        [this] {
          if (closed.load(std::memory_order_seq_cst)) return false;
          ++rounds;
          calls.stop();
          return true;
        });
  }
  void check() override { require(rounds == 1, "a call without its round"); }
};

TEST(round_calls, called_under_hold) { expect_holds<called_under_hold>({4, 4}); }

}  // namespace
}  // namespace evencube::test
