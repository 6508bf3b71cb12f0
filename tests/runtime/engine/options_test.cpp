// What a runtime refuses: every message names the option, the value and what is allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <evencube/balancers/options.hpp>
#include <evencube/evencube.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include "engine/options_check.hpp"
#include "environment.hpp"

namespace evencube {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const runtime_options& options) {
  try {
    const runtime made(options);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(runtime_options, are_refused_by_name_value_and_range) {
  using std::chrono::microseconds;
  EXPECT_THAT(refusal({.workers = 1025}), AllOf(HasSubstr("workers: 1025"), HasSubstr("1024")));
  EXPECT_THAT(refusal({.balancer = "magic"}),
              AllOf(HasSubstr("magic"), HasSubstr("oem"), HasSubstr("random_stealing")));
  EXPECT_THAT(refusal({.options = {{"speed", "9"}}}), HasSubstr("speed"));
  EXPECT_THAT(refusal({.balancer = "diffusion", .options = diffusion_options{.iterations = 0}}),
              AllOf(HasSubstr("iterations"), HasSubstr("whole numbers from 1")));
  EXPECT_EQ(refusal({.balancer = "diffusion", .options = diffusion_options{.iterations = 16}}),
            "accepted");
  EXPECT_THAT(refusal({.balancer = "cwa", .options = diffusion_options{}}), HasSubstr("form"));
  EXPECT_THAT(refusal({.transmission = "post"}),
              AllOf(HasSubstr("post"), HasSubstr("direct"), HasSubstr("pipelined:N")));
  EXPECT_THAT(refusal({.balancer = "random_stealing", .pulls = false}),
              AllOf(HasSubstr("pulls: off"), HasSubstr("random_stealing")));
  for (const char* bad : {"pipelined:", "pipelined:0", "pipelined:-1", "pipelined:9x",
                          "pipelined:1000000001", "pipelined:99999999999999999999"}) {
    EXPECT_THAT(refusal({.transmission = bad}),
                AllOf(HasSubstr(bad), HasSubstr("from 1 to 1000000000")));
  }
  EXPECT_THAT(refusal({.transmission = "phased:2"}), HasSubstr("phased:2"));
  EXPECT_THAT(refusal({.mode = static_cast<balancer_mode>(9)}), HasSubstr("mode: 9"));
  EXPECT_THAT(refusal({.hotness = static_cast<hotness>(7)}),
              AllOf(HasSubstr("hotness: 7"), HasSubstr("never, learned or always")));
  EXPECT_THAT(refusal({.period = microseconds(-3)}), AllOf(HasSubstr("-3 us"), HasSubstr("never")));
  EXPECT_THAT(refusal({.period = microseconds::max()}), HasSubstr("86400000000"));
  EXPECT_THAT(refusal({.injection_capacity = 0}), HasSubstr("injection_capacity: 0"));
  EXPECT_THAT(refusal({.injection_capacity = 65535}), HasSubstr("65534"));
}

TEST(runtime_options, take_balancers_and_transmissions_as_types) {
  EXPECT_EQ(refusal({.balancer = balancers::diffusion{.iterations = 16},
                     .transmission = transmissions::pipelined{.batch = 8}}),
            "accepted");
  EXPECT_EQ(refusal({.balancer = balancers::none{}, .transmission = transmission::phased}),
            "accepted");
  EXPECT_EQ(refusal({.balancer = balancers::random_stealing{}}), "accepted");
  EXPECT_THAT(refusal({.balancer = balancers::diffusion{.iterations = 0}}),
              AllOf(HasSubstr("iterations"), HasSubstr("whole numbers from 1")));
  EXPECT_THAT(refusal({.balancer = balancers::oem{}, .options = {{"order", "ascending"}}}),
              AllOf(HasSubstr("oem"), HasSubstr("twice")));
  EXPECT_THAT(refusal({.transmission = transmissions::pipelined{.batch = -1}}),
              AllOf(HasSubstr("pipelined:-1"), HasSubstr("from 1 to 1000000000")));
  EXPECT_THAT(refusal({.balancer = balancers::random_stealing{}, .pulls = false}),
              HasSubstr("pulls: off"));
}

TEST(a_strategy, can_be_changed_by_types) {
  runtime rt({.workers = 2});
  rt.use_balancer(balancers::dem{}, transmissions::pipelined{.batch = 2});
  rt.use_balancer(balancers::cwa{.split = split_rule::even});
  rt.use_balancer("oem", transmission::overlapped);
  EXPECT_THROW(rt.use_balancer(balancers::diffusion{.iterations = 0}), std::invalid_argument);
  EXPECT_THROW(rt.use_balancer(balancers::oem{}, {{"order", "ascending"}}), std::invalid_argument);
  EXPECT_THROW(rt.use_balancer("oem", transmissions::pipelined{.batch = 1'000'000'001}),
               std::invalid_argument);
}

TEST(runtime_options, of_the_environment_are_digits_alone) {
  for (const char* workers : {" 5", "5 ", "+5", "-1", "0", "1025", "0x5", "many", "5.0", "\n5"}) {
    test::set_environment("EVENCUBE_WORKERS", workers);
    EXPECT_THAT(refusal({}), HasSubstr(std::string("EVENCUBE_WORKERS=") + workers));
    EXPECT_EQ(refusal({.workers = 2}), "accepted");  // nobody asks it then
  }
  test::set_environment("EVENCUBE_WORKERS", "3");
  EXPECT_EQ(runtime().workers(), 3U);
  test::set_environment("EVENCUBE_WORKERS", "");
  EXPECT_EQ(refusal({}), "accepted");
  test::set_environment("EVENCUBE_WORKERS", nullptr);
}

TEST(runtime_options, at_their_bounds_are_accepted) {
  EXPECT_EQ(refusal({.workers = 1, .period = runtime_options::max_period}), "accepted");
  EXPECT_EQ(refusal({.workers = 2, .threshold = 0, .injection_capacity = 1}), "accepted");
  EXPECT_EQ(refusal({.transmission = "pipelined:1"}), "accepted");
  EXPECT_EQ(refusal({.transmission = "pipelined:1000000000"}), "accepted");
}

}  // namespace
}  // namespace evencube
