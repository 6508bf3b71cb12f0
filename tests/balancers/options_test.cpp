// The structs say what the registry knows, no more and no less.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/balancers/options.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

template <typename Options>
struct every_balancers_options : ::testing::Test {};
using all_of_them =
    ::testing::Types<dem_options, oem_options, cwa_options, hybrid_options, diffusion_options,
                     matching_options, gradient_options, sender_initiated_options,
                     receiver_initiated_options, dispatcher_options, prediction_options,
                     locality_options, rotate_options, random_options>;
TYPED_TEST_SUITE(every_balancers_options, all_of_them);

TYPED_TEST(every_balancers_options, have_the_names_and_defaults_of_the_registry) {
  const balancer_descriptor known = describe_balancer(TypeParam::balancer);
  EXPECT_EQ(balancer_options(TypeParam{}), complete_options(known, {}));
  EXPECT_NE(make_balancer(TypeParam{}), nullptr);
}

template <typename... Options>
std::set<std::string> names_of(::testing::Types<Options...>) {
  return {std::string(Options::balancer)...};
}

TEST(typed_options, are_there_for_every_balancer_that_has_options) {
  std::set<std::string> with_options;
  for (const char* const name : {"none", "dem", "oem", "cwa", "hybrid", "diffusion", "matching",
                                 "gradient", "sender_initiated", "receiver_initiated", "dispatcher",
                                 "prediction", "locality", "optimal", "rotate", "random"}) {
    if (!describe_balancer(name).options.empty()) with_options.insert(name);
  }
  EXPECT_EQ(names_of(all_of_them{}), with_options);
}

TEST(typed_options, name_every_balancer_of_the_registry_once) {
  std::multiset<std::string> named;
  const auto add = [&named](const balancer_choice& choice) { named.insert(choice.name()); };
  add(balancers::none{});
  add(balancers::dem{});
  add(balancers::oem{});
  add(balancers::cwa{});
  add(balancers::hybrid{});
  add(balancers::diffusion{});
  add(balancers::matching{});
  add(balancers::gradient{});
  add(balancers::sender_initiated{});
  add(balancers::receiver_initiated{});
  add(balancers::dispatcher{});
  add(balancers::prediction{});
  add(balancers::locality{});
  add(balancers::optimal{});
  add(balancers::rotate{});
  add(balancers::random{});
  std::multiset<std::string> registered;
  for (const balancer_descriptor& one : registered_balancers()) {
    if (!one.name.starts_with("test")) registered.insert(one.name);
  }
  EXPECT_EQ(named, registered);
}

TEST(balancer_choice, has_the_name_and_the_options_of_its_type) {
  const balancer_choice typed = balancers::diffusion{.iterations = 7};
  EXPECT_EQ(typed.name(), "diffusion");
  EXPECT_EQ(typed.options().at("iterations"), "7");
  const balancer_choice named = "diffusion";
  EXPECT_TRUE(named == "diffusion" && named.options().empty());
  const std::string text = typed;
  EXPECT_EQ(text, "diffusion");
}

TEST(balancer_choice, takes_options_from_its_type_or_next_to_it_but_not_both) {
  const balancer_options given{{"iterations", "9"}};
  EXPECT_EQ(chosen_options("diffusion", given), given);
  EXPECT_EQ(chosen_options(balancers::none{}, {}), balancer_options{});
  const balancer_choice typed = balancers::diffusion{};
  EXPECT_EQ(&chosen_options(typed, {}), &typed.options());
  try {
    static_cast<void>(chosen_options(typed, given));
    FAIL();
  } catch (const std::invalid_argument& problem) {
    EXPECT_THAT(problem.what(), AllOf(HasSubstr("diffusion"), HasSubstr("twice")));
  }
}

TEST(transmission_choice, has_the_text_that_tools_would_give) {
  for (const transmission how : all_transmissions) {
    EXPECT_EQ(transmission_choice(how).text(), to_string(how));
  }
  EXPECT_EQ(transmission_choice(transmissions::pipelined{}).text(), "pipelined");
  EXPECT_EQ(transmission_choice(transmissions::pipelined{8}).text(), "pipelined:8");
  EXPECT_TRUE(transmission_choice("pipelined:8") == "pipelined:8");
}

/// The registry takes it, and it says that.
template <typename Options>
void expect_text(const Options& options, const balancer_options& expected) {
  EXPECT_THAT(balancer_options(options), IsSupersetOf(expected));
  EXPECT_NO_THROW(static_cast<void>(make_balancer(options)));
}

TEST(typed_options, say_every_word_and_number_as_the_registry_reads_it) {
  expect_text(dem_options{.order = direction::descending, .odd = odd_unit::lower_if_moving},
              {{"order", "descending"}, {"odd", "lower-if-moving"}});
  expect_text(oem_options{.order = std::vector<unsigned>{2, 0, 1}}, {{"order", "2,0,1"}});
  for (const auto& [rule, word] :
       {std::pair{split_rule::greedy, "greedy"}, std::pair{split_rule::surplus, "surplus"},
        std::pair{split_rule::proportional, "proportional"}, std::pair{split_rule::even, "even"}}) {
    expect_text(cwa_options{.split = rule}, {{"split", word}});
  }
  expect_text(hybrid_options{.exchanged = 3, .quota = quota_rule::first},
              {{"exchanged", "3"}, {"quota", "first"}});
  expect_text(diffusion_options{.weight = 0.1, .form = diffusion_form::carry, .iterations = 7},
              {{"weight", "0.1"}, {"form", "carry"}, {"iterations", "7"}, {"target", "1"}});
  expect_text(gradient_options{.low = 3, .high = 9, .portion = 0.25},
              {{"low", "3"}, {"high", "9"}, {"portion", "0.25"}});
  for (const auto& [way, word] : {std::pair{line_movement::together, "together"},
                                  std::pair{line_movement::concatenated, "concatenated"},
                                  std::pair{line_movement::by_distance, "by-distance"}}) {
    expect_text(locality_options{.movement = way}, {{"movement", word}});
  }
  expect_text(matching_options{.pairs = matching_pairs::circuit, .odd = matching_odd::larger},
              {{"pairs", "circuit"}, {"odd", "larger"}, {"rounds", "1024"}, {"target", "3"}});
  expect_text(matching_options{.odd = matching_odd::carried}, {{"odd", "carried"}});
  for (const auto& [way, word] :
       {std::pair{rounding::ceiling, "ceiling"}, std::pair{rounding::nearest, "nearest"},
        std::pair{rounding::floor, "floor"}}) {
    expect_text(sender_initiated_options{.rounding = way}, {{"rounding", word}});
    expect_text(receiver_initiated_options{.rounding = way}, {{"rounding", word}});
  }
  expect_text(prediction_options{.index = prediction_index::predicted}, {{"index", "predicted"}});
}

TEST(typed_options, give_the_plan_that_the_text_gives) {
  const topology cube = topology::hypercube(3);
  const std::vector<load_type> loads{40, 1, 7, 0, 22, 3, 3, 4};
  const balance_request request{.graph = cube, .loads = loads};
  plan typed;
  plan named;
  plan other;
  make_balancer(diffusion_options{.weight = 0.125, .iterations = 3})->make_plan(request, typed);
  make_balancer("diffusion", {{"weight", "0.125"}, {"iterations", "3"}})->make_plan(request, named);
  make_balancer("diffusion")->make_plan(request, other);
  EXPECT_EQ(typed, named);
  EXPECT_NE(typed, other);
}

TEST(typed_options, are_checked_where_they_are_used) {
  EXPECT_THAT(
      testing::refusal([] { static_cast<void>(make_balancer(random_options{.rounds = 0})); }),
      HasSubstr("whole numbers from 1 to 1000"));
  EXPECT_THAT(testing::refusal([] {
                static_cast<void>(make_balancer(cwa_options{.split = static_cast<split_rule>(9)}));
              }),
              HasSubstr("greedy"));
}

}  // namespace
}  // namespace evencube
