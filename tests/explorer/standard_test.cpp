// The weak model against the standard's own words: on small random programs the explorer has the
// outcomes that the axioms allow, all of them and no others.

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "arena.hpp"
#include "explore.hpp"
#include "runtime/repetitions.hpp"
#include "standard.hpp"

namespace evencube::explorer {
namespace {

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(mix(seed)) {}
  unsigned below(unsigned n) {
    return static_cast<unsigned>(mix(state_ += 0x9e3779b97f4a7c15U) % n);
  }

 private:
  std::uint64_t state_;
};

constexpr unsigned most_threads = 3;

small_program some_program(std::uint64_t seed) {
  using enum std::memory_order;
  constexpr std::memory_order orders[3][5] = {{relaxed, acquire, seq_cst, relaxed, acquire},
                                              {relaxed, release, seq_cst, relaxed, release},
                                              {relaxed, acquire, release, acq_rel, seq_cst}};
  random_source random(seed);
  small_program program(2 + random.below(most_threads - 1));
  int value = 0;
  unsigned total = 0;
  for (auto& thread : program) {
    for (unsigned left = 1 + random.below(3); left > 0 && total < 8; --left, ++total) {
      const auto what = static_cast<operation::kind>(random.below(5) % 3);
      thread.push_back({what, random.below(2), orders[what][random.below(5)],
                        what == operation::load ? 0 : ++value});
    }
  }
  return program;
}

std::string text_of(const small_program& program) {
  constexpr const char* names[] = {"load", "store", "exchange"};
  constexpr const char* orders[] = {"relaxed", "consume", "acquire",
                                    "release", "acq_rel", "seq_cst"};
  std::string text;
  for (const auto& thread : program) {
    text += "  thread:";
    for (const operation& o : thread) {
      text += std::string(" ") + names[o.what] + "(" + "xy"[o.variable] + ", " +
              std::to_string(o.value) + ", " + orders[static_cast<unsigned>(o.order)] + ")";
    }
    text += "\n";
  }
  return text;
}
std::string text_of(const std::set<small_outcome>& some, const std::set<small_outcome>& but) {
  std::string text;
  for (const small_outcome& o : some) {
    if (but.count(o) != 0) continue;
    text += "  [";
    for (const int value : o) text += " " + std::to_string(value);
    text += " ]\n";
  }
  return text;
}

struct running : scenario {
  const small_program& program;
  std::set<small_outcome>& outcomes;
  explored::atomic<int> variables[2];
  std::array<std::array<int, 8>, most_threads> seen{};

  running(const small_program& what, std::set<small_outcome>& to) : program(what), outcomes(to) {}
  [[nodiscard]] unsigned threads() const override { return static_cast<unsigned>(program.size()); }
  void run(unsigned k) override {
    for (std::size_t i = 0; i < program[k].size(); ++i) {
      const operation& o = program[k][i];
      explored::atomic<int>& at = variables[o.variable];
      if (o.what == operation::load) seen[k][i] = at.load(o.order);
      if (o.what == operation::store) at.store(o.value, o.order);
      if (o.what == operation::exchange) seen[k][i] = at.exchange(o.value, o.order);
    }
  }
  void check() override {
    const arena_scope off(false);
    small_outcome all;
    for (std::size_t k = 0; k < program.size(); ++k) {
      for (std::size_t i = 0; i < program[k].size(); ++i) {
        if (program[k][i].what != operation::store) all.push_back(seen[k][i]);
      }
    }
    for (const auto& v : variables) all.push_back(v.load());
    outcomes.insert(all);
  }
};

std::set<small_outcome> explored_outcomes(const small_program& program, const exploration& how) {
  std::set<small_outcome> outcomes;
  explore([&] { return std::make_unique<running>(program, outcomes); }, how);
  return outcomes;
}

TEST(standard, the_weak_model_has_what_the_axioms_allow_and_nothing_else) {
  std::size_t all = 0;
  constexpr std::uint64_t programs = 300 / test::sanitizer_slowness;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const small_program program = some_program(seed);
    const allowed_outcomes allowed = outcomes_of(program);
    const std::set<small_outcome> has = explored_outcomes(
        program, {.model = memory_model::weak, .preemptions = 5, .old_values = 8});
    ASSERT_EQ(text_of(has, allowed.standard), "") << "forbidden in\n" << text_of(program);
    ASSERT_EQ(text_of(allowed.executable, has), "") << "not found in\n" << text_of(program);
    ASSERT_EQ(text_of(has, allowed.executable), "") << "too much in\n" << text_of(program);
    all += has.size();
  }
  EXPECT_GT(all, programs * 20 / 3);
}

// Each model has what the stronger one has.
TEST(standard, each_model_has_what_the_stronger_one_has) {
  for (std::uint64_t seed = 1001; seed <= 1000 + 60 / test::sanitizer_slowness; ++seed) {
    const small_program program = some_program(seed);
    std::set<small_outcome> stronger;
    for (const memory_model model :
         {memory_model::sequential, memory_model::store_buffers, memory_model::weak}) {
      const std::set<small_outcome> has =
          explored_outcomes(program, {.model = model, .preemptions = 5, .old_values = 8});
      ASSERT_EQ(text_of(stronger, has), "") << "lost in\n" << text_of(program);
      stronger = has;
    }
  }
}

// What known states leave out is found elsewhere: a mutation of loads that are made early, of a
// function that does not exist, has the explorer remember no states.
TEST(standard, known_states_hide_no_outcome) {
  for (std::uint64_t seed = 2001; seed <= 2000 + 80 / test::sanitizer_slowness; ++seed) {
    const small_program program = some_program(seed);
    exploration how{.model = memory_model::weak, .preemptions = 3, .old_values = 2};
    const std::set<small_outcome> with = explored_outcomes(program, how);
    how.mutations = {{harm::hoist, "nowhere", action::exchange}};
    const std::set<small_outcome> without = explored_outcomes(program, how);
    ASSERT_EQ(text_of(without, with), "") << "hidden in\n" << text_of(program);
    ASSERT_EQ(text_of(with, without), "") << "not without in\n" << text_of(program);
  }
}

}  // namespace
}  // namespace evencube::explorer
