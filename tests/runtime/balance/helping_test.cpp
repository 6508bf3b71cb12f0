// Workers that have run dry carry out steps of the round under way, whoever leads it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <string>

#include "deadline.hpp"

namespace evencube::helping_test {
namespace {

class helping : public testing::TestWithParam<balancer_mode> {};

// Whether there is somebody at the right moment is luck, so rounds go on until there was.
TEST_P(helping, comes_from_workers_without_work) {
  runtime rt({.workers = 4,
              .balancer = "oem",
              .transmission = "pipelined:1",
              .mode = GetParam(),
              .pulls = false,
              .pin = false});
  const test::deadline limit(rt, std::chrono::seconds{240});
  std::atomic<int> ran{0};
  int spawned = 0;
  while (rt.stats().steps_by_helpers == 0) {
    rt.run([&] {
      task_group group;
      for (int i = 0; i < 4000; ++i) group.spawn([&] { ++ran; });
      if (GetParam() == balancer_mode::on_demand) rt.balance();
      group.wait();
    });
    spawned += 4000;
  }
  EXPECT_EQ(ran, spawned);
}

std::string name_of(const testing::TestParamInfo<balancer_mode>& c) {
  switch (c.param) {
    case balancer_mode::thread:
      return "where_a_thread_leads";
    case balancer_mode::on_idle:
      return "where_the_idle_lead";
    default:
      return "where_the_program_asks";
  }
}

INSTANTIATE_TEST_SUITE_P(workers, helping,
                         testing::Values(balancer_mode::thread, balancer_mode::on_idle,
                                         balancer_mode::on_demand),
                         name_of);

}  // namespace
}  // namespace evencube::helping_test
