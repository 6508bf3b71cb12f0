// The steps of a round, carried out by several threads (runtime/src/balance/migration.md, H and E).

#include "balance/round_steps.hpp"

#include <gtest/gtest.h>

#include "explored.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;

// A leader carries out two rounds; others help when they come by. Every transfer moves what is at
// its source when its turn comes, so in the end all loads are known.
template <bool PhaseByPhase, unsigned Helpers>
struct shared_round : explorer::scenario {
  using steps_type = detail::basic_round_steps<explored>;

  // 1 sends on what comes from 0, and 3 sends in the phase in which it receives.
  const plan planned{{{{0, 1, 4}, {2, 3, 1}, {3, 0, 2}}, {{1, 2, 6}}}};
  steps_type steps;
  explored::plain<int> loads[4]{4, 2, 2, 2};
  explored::plain<int> sent[4]{0, 0, 0, 0};
  explored::plain<unsigned> ended[8]{0, 0, 0, 0, 0, 0, 0, 0};

  [[nodiscard]] unsigned threads() const override { return 1 + Helpers; }

  void carry_out(steps_type::step s) {
    const transfer& t = steps.of(s);
    ended[s] = ended[s] + 1;
    const int n = static_cast<int>(t.quanta);
    if (steps_type::takes(s)) {
      require(loads[t.from] >= n, "a step went before one that it has to wait for");
      loads[t.from] = loads[t.from] - n;
      sent[s / 2] = n;
    } else {
      loads[t.to] = loads[t.to] + sent[s / 2];
    }
  }
  void lead(unsigned rounds_before) {
    steps.prepare(planned, 4, PhaseByPhase);
    steps.lead([this](steps_type::step s) { carry_out(s); });
    for (const auto& n : ended) {
      require(n == rounds_before + 1, "a step was not carried out once when the round ended");
    }
  }
  void run(unsigned k) override {
    if (k == 0) {
      lead(0);
      // As it was, for the same plan once more.
      loads[0] = 4;
      loads[1] = loads[2] = loads[3] = 2;
      lead(1);
    } else {
      steps.help([this](steps_type::step s) { carry_out(s); });
    }
  }
  void check() override {
    require(loads[0] == 2 && loads[1] == 0 && loads[2] == 7 && loads[3] == 1, "wrong loads");
  }
};

TEST(round_steps, overlapped) { expect_holds<shared_round<false, 1>>({3, 3, 1}); }
TEST(round_steps, phase_by_phase) { expect_holds<shared_round<true, 1>>({3, 3, 1}); }
TEST(round_steps, two_helpers) { expect_holds_by_chance<shared_round<false, 2>>(20'000); }

TEST(round_steps, seeded_helper_comes_unseen) {
  expect_found<shared_round<false, 1>>("helper that is not counted",
                                       {harm::postpone, "help", action::fetch_add},
                                       "nobody can go on");
}
TEST(round_steps, seeded_step_taken_twice) {
  expect_found<shared_round<false, 1>>(
      "step taken twice", {harm::tear, "take_ready", action::compare_exchange}, "data race");
}
TEST(round_steps, seeded_end_not_passed_on) {
  expect_found<shared_round<false, 1>>("the end of a step is not passed on",
                                       {harm::weaken, "make_ready", action::store}, "data race",
                                       memory_model::weak);
}
TEST(round_steps, seeded_leader_not_called) {
  expect_found<shared_round<false, 1>>(
      "leader not called", {harm::omit, "call_leader", action::fetch_add}, "nobody can go on");
}

}  // namespace
}  // namespace evencube::test
