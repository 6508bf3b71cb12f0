#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(registry, unknown_names_list_the_known_ones) {
  EXPECT_THAT(testing::refusal([] { static_cast<void>(make_balancer("dame")); }),
              AllOf(HasSubstr("\"dame\""), HasSubstr("none"), HasSubstr("dem"), HasSubstr("oem"),
                    HasSubstr("rotate"), HasSubstr("random")));
}

TEST(registry, unknown_options_and_values_are_refused) {
  EXPECT_THAT(testing::refusal([] { static_cast<void>(make_balancer("dem", {{"oder", "x"}})); }),
              AllOf(HasSubstr("no option \"oder\""), HasSubstr("order")));
  EXPECT_THAT(testing::refusal([] { static_cast<void>(make_balancer("none", {{"x", "1"}})); }),
              HasSubstr("it has none"));
  for (const char* bad : {"", "0", "-1", "1x", "99999999999999999999"}) {
    EXPECT_THAT(
        testing::refusal([&] { static_cast<void>(make_balancer("random", {{"rounds", bad}})); }),
        HasSubstr("whole numbers from 1 to 1000"));
  }
}

TEST(registry, entries_are_complete_and_make_what_they_name) {
  for (const auto& entry : registered_balancers()) {
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_FALSE(entry.information.empty()) << entry.name;
    EXPECT_FALSE(entry.guarantees.plan_cost.empty()) << entry.name;
    EXPECT_EQ(make_balancer(entry.name)->name(), entry.name);
    for (const auto& option : entry.options) {
      EXPECT_NE(option.choices.empty(), option.allowed.empty()) << entry.name << option.name;
      for (const auto& word : option.choices) {
        EXPECT_NE(make_balancer(entry.name, {{option.name, word}}), nullptr);
      }
    }
  }
}

TEST(registry, incomplete_or_taken_entries_are_refused) {
  balancer_descriptor entry;
  EXPECT_THROW(register_balancer(entry), std::invalid_argument);
  entry.name = "dem";
  EXPECT_THROW(register_balancer(entry), std::invalid_argument);
  entry.make = [](const balancer_options&) { return make_balancer("none"); };
  EXPECT_THROW(register_balancer(entry), std::invalid_argument);
}

TEST(diagnostic, rotate_moves_everything) {
  const auto graph = topology::cube(7);
  const testing::loads_type loads{1, 2, 3, 4, 5, 6, 7};
  for (const char* step : {"0", "1", "5"}) {
    const plan made = testing::plan_for("rotate", graph, loads, {{"step", step}});
    validate_plan(graph, loads, made);
    EXPECT_EQ(task_hops(made), 28);
  }
}

TEST(diagnostic, random_follows_its_seed) {
  const auto graph = topology::mesh(4, 4);
  const testing::loads_type loads(16, 50);
  const auto random = make_balancer("random", {{"rounds", "5"}});
  plan first;
  plan again;
  plan other;
  random->make_plan({.graph = graph, .loads = loads, .seed = 3}, first);
  random->make_plan({.graph = graph, .loads = loads, .seed = 3}, again);
  random->make_plan({.graph = graph, .loads = loads, .seed = 4}, other);
  validate_plan(graph, loads, first);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
}

}  // namespace
}  // namespace evencube
