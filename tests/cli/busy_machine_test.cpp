// What commands that measure say about a busy machine: how much of it other programs and the host
// used meanwhile.

#include "busy_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace evencube::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(processor_times, are_read_from_the_text_of_the_system) {
  const std::string text =
      "cpu  100 20 30 400 50 6 7 8 0 0\n"
      "cpu0 50 10 15 200 25 3 3 4 0 0\n"
      "cpu1 50 10 15 200 25 3 4 4 0 0\n"
      "intr 1 2 3\n";
  const auto times = processor_times_of(text, 10);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->busy, 16.3);
  EXPECT_DOUBLE_EQ(times->stolen, 0.8);
  EXPECT_DOUBLE_EQ(times->all, 62.1);
  EXPECT_EQ(times->processors, 2U);
}

TEST(processor_times, of_other_texts_are_not_known) {
  for (const char* const text : {"", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "x 1 2 3\n",
                                 "cpu 1 2 3 4 5 6 7 8 9 10\n", "cpu a b c d e f g h\ncpu0 1\n"}) {
    EXPECT_FALSE(processor_times_of(text, 100)) << text;
  }
}

/// Ten seconds later, on two processors.
processor_times later(double busy, double stolen) {
  return {.busy = 100 + busy, .stolen = 7 + stolen, .all = 1020, .processors = 2};
}

TEST(busy_warning, names_other_programs_and_the_host_and_nothing_on_a_quiet_machine) {
  const processor_times before{.busy = 100, .stolen = 7, .all = 1000, .processors = 2};
  EXPECT_EQ(busy_warning(before, later(12, 0.1), 11.5), "");
  EXPECT_EQ(busy_warning(before, later(11, 0), 12), "");  // its own clock is finer
  EXPECT_THAT(busy_warning(before, later(18, 0.1), 12),
              AllOf(HasSubstr("other programs used 0.6 of 2 processors."), Not(HasSubstr("host"))));
  EXPECT_THAT(busy_warning(before, later(12, 1), 12),
              AllOf(HasSubstr("during the measurement, the host of this virtual machine took 5 % "
                              "of the time. The times"),
                    Not(HasSubstr("programs"))));
  EXPECT_THAT(busy_warning(before, later(18, 1), 12),
              HasSubstr("0.6 of 2 processors, and the host of this virtual machine took 5 %"));
  // Too short to tell.
  processor_times soon = later(18, 1);
  soon.all = before.all + 0.3;
  EXPECT_EQ(busy_warning(before, soon, 0), "");
}

}  // namespace
}  // namespace evencube::cli
