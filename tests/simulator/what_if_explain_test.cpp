#include <evencube/simulator/what_if.hpp>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../trace/sample_trace.hpp"

namespace evencube::simulator {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using traces::sample_trace;

TEST(what_if_explain, tells_the_way_of_a_task) {
  EXPECT_THAT(
      explain(sample_trace(), 1),
      ElementsAre(HasSubstr("spawned by task 0 on worker 0"),
                  AllOf(HasSubstr("from worker 0 to worker 1 by round 0 of oem, led by worker 1: "
                                  "phase 0, dimension 0, loads 2 and 0, 1 to move"),
                        HasSubstr("the lower node of a pair keeps the half that is odd")),
                  HasSubstr("started on worker 1"), HasSubstr("ended")));
  EXPECT_THAT(explain(sample_trace(), 3)[0], HasSubstr("from outside at worker 1"));
  EXPECT_THROW((void)explain(sample_trace(), 4), std::invalid_argument);
}

// Direct transmission moves a task from the first worker of its way to the last.
TEST(what_if_explain, names_every_hop_with_its_dimension) {
  trace t = sample_trace();
  t.topology = "cube:4";
  t.tasks[1].worker = 3;
  t.migrations = {{1, 10'500, 0, 3, 0}};
  t.rounds[0].loads = {8, 0, 0, 0};
  t.rounds[0].service_times = {};
  t.rounds[0].planned.phases = {{{0, 2, 4}}, {{0, 1, 2}, {2, 3, 2}}};
  EXPECT_THAT(explain(t, 1)[1],
              HasSubstr("phase 0, dimension 1, worker 0 to worker 2, loads 8 and 0, 4 to move; "
                        "phase 1, dimension 0, worker 2 to worker 3, loads 4 and 0, 2 to move"));
  t.topology = "complete:4";
  EXPECT_THAT(explain(t, 1)[1], Not(HasSubstr(", dimension ")));
}

TEST(what_if_explain, an_activation_names_its_worker) {
  trace t = sample_trace();
  t.balancer = "sender_initiated";
  t.rounds[0].initiator = 0;
  EXPECT_THAT(explain(t, 1)[1], HasSubstr("of sender_initiated, the activation of worker 0"));
}

TEST(what_if_explain, counts_the_loads_of_what_no_round_planned) {
  trace t = sample_trace();
  t.rounds = {};
  t.migrations[0].round = trace::migration::unplanned;
  // Worker 0 begins task 2 at 10 us, while task 0 waits; task 1 is in its queue.
  EXPECT_THAT(explain(t, 1)[1],
              EndsWith("from worker 0 to worker 1, taken by the receiver itself when it ran dry, "
                       "dimension 0, loads 2 and 0 (the share that the pair rule gives a worker "
                       "without load)"));
  // Taken together with another one, which was the first.
  t.tasks.push_back({0, 0, 6'000, 1, 32'000, 33'000});
  t.migrations = {{4, 10'400, 0, 1, trace::migration::unplanned}, t.migrations[0]};
  EXPECT_THAT(explain(t, 1)[1], HasSubstr("loads 3 and 0"));
  // One that came after the receiver had begun another is of a later time.
  t.migrations.push_back({4, 30'500, 1, 0, trace::migration::unplanned});
  t.tasks[4].worker = 0;
  EXPECT_THAT(explain(t, 4)[2], HasSubstr("loads 2 and 0"));
  t.balancer = "random_stealing";
  EXPECT_THAT(explain(t, 1)[1], HasSubstr("(from a worker drawn at random)"));
}

}  // namespace
}  // namespace evencube::simulator
