// One process has parts on oneTBB itself, parts in its words on EvenCube, and oneTBB's containers
// in both. Everything that EvenCube defines is in namespace evencube, so no definition is there
// twice.
#include <gtest/gtest.h>

#include <thread>

bool containers_first();
bool containers_last();
long sum_on_tbb_itself();

namespace {

TEST(beside_tbb, containers_are_filled_by_evencube) {
  EXPECT_TRUE(containers_first());
  EXPECT_TRUE(containers_last());
}

TEST(beside_tbb, both_libraries_work_at_the_same_time) {
  for (int round = 0; round < 10; ++round) {
    long sum = 0;
    std::thread other([&] { sum = sum_on_tbb_itself(); });
    EXPECT_TRUE(containers_first());
    other.join();
    EXPECT_EQ(sum, 499501);
  }
}

}  // namespace
