// Sweeps over units in blocks (detail/sweeps.hpp): what workers do in the loops of `balanced_loop`.

#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/detail/sweeps.hpp>

#include "explored.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
using sweeps_type = detail::basic_sweeps<explored>;
using units = sweeps_type::units;

/// Participants help at once where an owner is late, and wait or leave at once.
struct fixed_patience {
  bool leaves;
  void begin() {}
  [[nodiscard]] sweeps_type::waited waited() const {
    return leaves ? sweeps_type::waited::in_vain : sweeps_type::waited::for_owners;
  }
};

/// Two positions with `Units` units each. Each sweep reads what the sweep before has written, so
/// the explorer finds a race where a unit begins too early or is taken twice.
template <std::uint32_t Units, std::uint64_t Sweeps>
struct swept : explorer::scenario {
  sweeps_type line{2};
  explored::plain<std::uint64_t> values[2][2 * Units]{};
  /// How often each participant was called back.
  explored::atomic<std::uint32_t> calls[2]{};
  std::uint32_t begun_again[2] = {};

  swept() {
    line.begin(Sweeps);
    for (std::uint32_t p = 0; p < 2; ++p) line.lay_out(p, {p * Units, (p + 1) * Units});
  }
  [[nodiscard]] unsigned threads() const override { return 2; }

  void work(std::uint64_t sweep, units taken) {
    require(taken.first < taken.last && taken.last <= 2 * Units, "what was taken is no unit");
    for (const auto& before : values[(sweep + 1) % 2]) {
      require(before == sweep, "a unit began before the sweep before it had ended");
    }
    for (std::uint32_t u = taken.first; u < taken.last; ++u) {
      auto& value = values[sweep % 2][u];
      require(value == (sweep < 2 ? 0 : sweep - 1), "a unit was taken twice");
      value = sweep + 1;
    }
  }
  bool participate(unsigned k, bool leaves) {
    fixed_patience patience{leaves};
    return line.participate(
        k, k, patience, [] { return 1U; },
        [&](std::uint64_t sweep, units taken) { work(sweep, taken); },
        [&](std::size_t index) {
          calls[index].fetch_add(1, std::memory_order_release);
          explored::wake(calls[index], 1);
        });
  }
  /// Leaves at every wait, and begins again when it is called back. The explorer reports a call
  /// that never comes, because then nothing goes on.
  void come_and_go(unsigned k) {
    for (; !participate(k, true); ++begun_again[k]) {
      const std::uint32_t before = begun_again[k];
      while (calls[k].load(std::memory_order_acquire) == before) explored::wait(calls[k], before);
    }
  }
  void check() override {
    for (unsigned k = 0; k < 2; ++k) {
      require(calls[k].load(std::memory_order_relaxed) == begun_again[k],
              "a participant was called back that had not left");
    }
    for (std::uint64_t sweep = Sweeps < 2 ? 0 : Sweeps - 2; sweep < Sweeps; ++sweep) {
      for (const auto& value : values[sweep % 2]) {
        require(value == sweep + 1, "a unit was left out");
      }
    }
  }
};

// Invariants (sweeps.once, sweeps.barrier): each waits for the other, and helps where it is late.
template <std::uint32_t Units, std::uint64_t Sweeps>
struct both_stay : swept<Units, Sweeps> {
  void run(unsigned k) override { this->participate(k, false); }
};

// Invariant (sweeps.recall).
template <std::uint64_t Sweeps>
struct one_leaves : swept<1, Sweeps> {
  void run(unsigned k) override {
    if (k == 0) {
      this->participate(0, false);
    } else {
      this->come_and_go(1);
    }
  }
};
template <std::uint64_t Sweeps>
struct both_leave : swept<1, Sweeps> {
  void run(unsigned k) override { this->come_and_go(k); }
};

// One gives up, as after an exception, while the other works or waits.
struct one_gives_up : swept<1, 3> {
  void run(unsigned k) override {
    if (k == 0) {
      participate(0, false);
    } else {
      line.give_up();
    }
  }
  void check() override {}  // it has ended
};

TEST(sweeps, are_one_run) { expect_holds<both_stay<2, 1>>({8, 8, 4}); }
TEST(sweeps, are_one_run_of_more) { expect_holds<both_stay<4, 1>>({4, 4, 2}); }
TEST(sweeps, follow_one_another) { expect_holds<both_stay<1, 3>>({4, 4, 2}); }
TEST(sweeps, follow_one_another_with_more) { expect_holds<both_stay<2, 2>>({4, 4, 2}); }
TEST(sweeps, end_while_one_comes_and_goes) { expect_holds<one_leaves<3>>({4, 4, 2}); }
TEST(sweeps, end_while_both_come_and_go) { expect_holds<both_leave<3>>({3, 3, 2}); }
TEST(sweeps, end_where_one_gives_up) { expect_holds<one_gives_up>({6, 6, 3}); }

TEST(sweeps, seeded_torn_take) {
  expect_found<both_stay<2, 1>>("torn take", {harm::tear, "take", action::compare_exchange}, "");
}
TEST(sweeps, seeded_take_that_leaves_all) {
  expect_found<both_stay<2, 1>>("a take that leaves what is left as it was",
                                {harm::omit, "take", action::compare_exchange}, "");
}
TEST(sweeps, seeded_torn_end_of_a_unit) {
  expect_found<both_stay<1, 3>>("units done are counted in two steps",
                                {harm::tear, "finish", action::fetch_add}, "");
}
TEST(sweeps, seeded_end_of_a_unit_that_releases_nothing) {
  expect_found<both_stay<1, 3>>("a relaxed count of units done",
                                {harm::weaken, "finish", action::fetch_add}, "",
                                memory_model::weak);
}
TEST(sweeps, seeded_wait_that_acquires_nothing) {
  expect_found<both_stay<1, 3>>("a relaxed look at the sweep under way",
                                {harm::weaken, "current", action::load}, "", memory_model::weak);
}
TEST(sweeps, seeded_leave_that_is_announced_late) {
  expect_found<one_leaves<3>>("who left is counted after the look at the sweep",
                              {harm::postpone, "set_away", action::fetch_add}, "");
}
TEST(sweeps, seeded_participant_that_nobody_calls_back) {
  expect_found<one_leaves<3>>("the mark of who left is not set",
                              {harm::omit, "set_away", action::store}, "");
}
TEST(sweeps, seeded_mark_that_two_take_back) {
  expect_found<both_leave<3>>("the mark of who left is taken back in two steps",
                              {harm::tear, "take_back", action::exchange}, "");
}

}  // namespace
}  // namespace evencube::test
