// A sort that has its memory continues if no more memory is available, not even for a longer queue
// of tasks. This is a program of its own, because its `operator new` fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <evencube/algorithms.hpp>
#include <evencube/evencube.hpp>
#include <random>
#include <vector>

#include "runtime/failing_new.hpp"

namespace evencube {
namespace {

/// Sorts with `queued` tasks queued before it. The first allocation is the sort's room for
/// elements.
bool sorts_without_memory(runtime& rt, std::size_t queued, std::vector<int>& numbers) {
  bool failed = false;
  rt.run([&] {
    task_group before;
    for (std::size_t i = 0; i < queued; ++i) before.spawn([] {});
    test::failing_new::begin(1, test::failing_new::kind::all_from);
    parallel_stable_sort(numbers);  // With a single worker, the other sort forks nothing.
    failed = test::failing_new::end();
    before.wait();
  });
  return failed;
}

TEST(sort_without_memory, goes_on_when_no_fork_can_be_queued) {
  std::mt19937 random(1);
  std::vector<int> shuffled(20'000);
  for (int& x : shuffled) x = static_cast<int>(random());
  std::vector<int> sorted = shuffled;
  std::sort(sorted.begin(), sorted.end());
  // Tries queue lengths up to the point where the queue must grow: at one length the forks reach
  // its end.
  int failures = 0;
  for (std::size_t queued = 2030; queued <= 2048; ++queued) {
    runtime rt({.workers = 1});
    std::vector<int> numbers = shuffled;
    failures += sorts_without_memory(rt, queued, numbers) ? 1 : 0;
    ASSERT_EQ(numbers, sorted) << queued;
  }
  EXPECT_GT(failures, 0) << "the queue never had to grow";
}

}  // namespace
}  // namespace evencube
