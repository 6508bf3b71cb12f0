#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <evencube/simulator/event_queue.hpp>
#include <evencube/simulator/portable_math.hpp>
#include <evencube/simulator/random.hpp>

namespace evencube::simulator {
namespace {

// Pops in the order of a sort, under pushes that never lie before the last pop: what a simulation
// does. `gap` draws the time from now to a new event.
template <class Queue, class Gap>
void expect_sorted(std::size_t pending, std::size_t steps, Gap&& gap) {
  Queue queue;
  std::vector<event> left;
  random_stream random(7, random_purpose::sampling, 0);
  double now = 0;
  std::uint64_t key = 0;
  const auto push = [&] {
    const event e{now + gap(random), key++ * 0x9E3779B97F4A7C15 >> 8};
    queue.push(e);
    left.push_back(e);
    std::push_heap(left.begin(), left.end(), [](auto& a, auto& b) { return before(b, a); });
  };
  for (std::size_t i = 0; i < pending; ++i) push();
  for (std::size_t i = 0; i < steps; ++i) {
    ASSERT_EQ(queue.size(), left.size());
    std::pop_heap(left.begin(), left.end(), [](auto& a, auto& b) { return before(b, a); });
    const event e = queue.pop();
    ASSERT_EQ(e, left.back()) << "at step " << i;
    left.pop_back();
    now = e.time;
    // Sometimes none, sometimes two: the number of pending events wanders.
    const auto births = random.below(3);
    for (std::uint64_t b = 0; b < births; ++b) push();
    if (left.empty()) push();
  }
}

template <class Queue>
class event_queue_order : public testing::Test {};

using queues = testing::Types<heap_queue<2>, heap_queue<4>, bucket_queue>;
TYPED_TEST_SUITE(event_queue_order, queues);

TYPED_TEST(event_queue_order, exponential_gaps) {
  for (const std::size_t pending : {1U, 2U, 100U, 5000U}) {
    expect_sorted<TypeParam>(pending, 20'000,
                             [](auto& random) { return -portable_log(random.uniform()); });
  }
}

TYPED_TEST(event_queue_order, constant_gaps_tie) {
  expect_sorted<TypeParam>(1000, 20'000, [](auto&) { return 1.0; });
}

TYPED_TEST(event_queue_order, no_gap_at_all) {
  expect_sorted<TypeParam>(1000, 20'000, [](auto&) { return 0.0; });
}

TYPED_TEST(event_queue_order, gaps_over_many_magnitudes) {
  expect_sorted<TypeParam>(1000, 20'000,
                           [](auto& random) { return portable_exp(60 * random.uniform() - 30); });
}

TYPED_TEST(event_queue_order, bursts_after_silence) {
  expect_sorted<TypeParam>(500, 20'000, [](auto& random) {
    return random.uniform() < 0.9 ? 1e-6 * random.uniform() : 1e3 * random.uniform();
  });
}

TEST(bucket_queue, announces_every_event_beyond_the_present_bucket_once) {
  bucket_queue queue;
  random_stream random(3, random_purpose::sampling, 0);
  const std::size_t count = 10'000;
  for (std::size_t i = 0; i < count; ++i) queue.push({random.uniform(), i});
  std::vector<int> announced(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    queue.pop([&](const event& e) { ++announced[e.key]; });
  }
  EXPECT_LE(*std::max_element(announced.begin(), announced.end()), 1);
  EXPECT_GT(std::count(announced.begin(), announced.end(), 1), static_cast<long>(count) * 9 / 10);
}

}  // namespace
}  // namespace evencube::simulator
