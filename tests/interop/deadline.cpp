// Every case of the programs that this is linked to has a minute, or five under a sanitizer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#ifndef EVENCUBE_TEST_TBB_ITSELF
#include <evencube/evencube.hpp>
#endif

#include "../runtime/repetitions.hpp"

namespace {

constexpr unsigned most_seconds = evencube::test::sanitizer_slowness == 1 ? 60 : 300;

extern "C" void end_of_time(int) {
#ifndef EVENCUBE_TEST_TBB_ITSELF
  evencube::describe_runtimes(STDERR_FILENO);
#endif
  std::abort();
}

class deadlines : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { alarm(most_seconds); }
  void OnTestEnd(const testing::TestInfo&) override { alarm(0); }
};

const bool set = [] {
  std::signal(SIGALRM, end_of_time);
  testing::UnitTest::GetInstance()->listeners().Append(new deadlines);
  return true;
}();

}  // namespace
