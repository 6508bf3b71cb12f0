// A signal makes a program report what it does, and the program goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;

TEST(stuck_program, tells_what_its_workers_do_when_it_is_asked) {
  // The signal is sent until the program has ended, so at least once while its runtime exists.
  const auto result =
      shell(R"(exec timeout 300 sh -c '"$0" run spin --size 40000 --task-us 50 --workers 3 & pid=$!
    while kill -0 $pid 2> /dev/null; do
      grep -q "^SigCgt:.*[2367abef]..$" /proc/$pid/status && kill -USR1 $pid
      sleep 0.02
    done
    wait $pid' "$0")");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("verified"));
  EXPECT_THAT(result.err, HasSubstr("worker 2: busy ")) << result.err;
  EXPECT_THAT(result.err, HasSubstr("caller's seat: vacant ")) << result.err;
}

}  // namespace
}  // namespace evencube::cli::testing
