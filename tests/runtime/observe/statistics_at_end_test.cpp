// The summary that EVENCUBE_STATS asks for when a runtime ends.

#include <gmock/gmock.h>

#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>
#include <string>

#include "environment.hpp"
#include "observe/statistics_text.hpp"

namespace evencube {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

// With EVENCUBE_STATS set to `value`, or not set.
std::string said_at_the_end(const char* value) {
  test::set_environment("EVENCUBE_STATS", value);
  CaptureStderr();
  {
    runtime rt({.workers = 2, .balancer = "cwa"});
    rt.run([] {
      task_group group;
      for (int i = 0; i < 9; ++i) group.spawn([] {});
      group.wait();
    });
  }
  return GetCapturedStderr();
}

TEST(statistics_at_the_end, are_told_if_they_are_asked_for) {
  EXPECT_EQ(said_at_the_end(nullptr), "");
  EXPECT_EQ(said_at_the_end(""), "");
  EXPECT_EQ(said_at_the_end("0"), "");
  // Nine tasks, and the function given to `run` if a worker has run that.
  EXPECT_THAT(said_at_the_end("1"), AllOf(HasSubstr(": 2 workers, balancer cwa, "),
                                          AnyOf(HasSubstr("  ran     9 tasks; by worker: "),
                                                HasSubstr("  ran     10 tasks; by worker: "))));
}

TEST(statistics_at_the_end, agree_with_their_nouns) {
  statistics all;
  all.workers.resize(1);
  all.workers[0] = {.executed = 1, .parks = 1, .busy_seconds = 0.5};
  all.rounds = 1;
  all.imbalance_before = 2;
  all.imbalance_after = 1;
  all.failed_rounds = 2;
  EXPECT_EQ(detail::text_of(all, 2, "one"),
            "one, 2.000 s\n"
            "  ran     1 task\n"
            "  busy    25 %\n"
            "  slept   1 time, 0 wake-ups avoided\n"
            "  moved   0 tasks; hops by rounds 0, by pulls 0, by rescues 0\n"
            "  planned 1 round in 0.000 ms; largest load by mean load: 2.00 before, 1.00 after\n"
            "  FAILED  2 rounds\n");
}

}  // namespace
}  // namespace evencube
