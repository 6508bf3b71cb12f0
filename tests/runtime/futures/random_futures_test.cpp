// Random trees of futures: asynchronous tasks, ready ones, continuations, all and any of several,
// nested waits and exceptions, made and awaited inside and outside of tasks, in groups that may be
// stopped meanwhile. What each gives is known from its seed, whoever runs what.
// EVENCUBE_REPETITIONS says how many; a failure names the seed, a wait that does not end the
// workers' states.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::random_futures_test {
namespace {

using generator = std::linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>;

/// A future, and what it will give; nothing: an exception.
struct tree {
  future<long> top;
  std::optional<long> expected;
};

long value_or_penalty(future<long>& f) {
  try {
    return f.get();
  } catch (const std::runtime_error&) {
    return -1000;
  }
}

tree grow(runtime& rt, unsigned seed, int depth);

/// As many subtrees as the seed says; the sum of what they give.
long grow_several(runtime& rt, generator& random, int depth, std::vector<future<long>>& several) {
  long sum = 0;
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    tree below = grow(rt, random(), depth - 1);
    several.push_back(std::move(below.top));
    sum += below.expected.value_or(-1000);
  }
  return sum;
}

tree grow_leaf(runtime& rt, generator& random, int depth) {
  const long value = static_cast<long>(random() % 100);
  switch (random() % 6) {
    case 0:
      return {make_ready_future(rt, value), value};
    case 1:
      return {rt.async([]() -> long { throw std::runtime_error("leaf"); }), std::nullopt};
    case 2: {
      // A task that grows a tree of its own and waits for it.
      const auto seed = random();
      return {rt.async([&rt, seed, depth, value] {
                tree inner = grow(rt, seed, std::min(depth, 1) - 1);
                EXPECT_EQ(value_or_penalty(inner.top), inner.expected.value_or(-1000)) << seed;
                return value;
              }),
              value};
    }
    case 3:
      return {rt.async([value] {
                task_group group;
                std::atomic<long> parts{0};
                for (int i = 0; i < 4; ++i) group.spawn([&] { ++parts; });
                group.wait();
                return value + parts;
              }),
              value + 4};
    default:
      return {rt.async([value] { return value; }, {.home = random() % rt.workers()}), value};
  }
}

tree grow(runtime& rt, unsigned seed, int depth) {
  generator random(seed);
  if (depth <= 0) return grow_leaf(rt, random, depth);
  switch (random() % 4) {
    case 0: {
      std::vector<future<long>> several;
      const long sum = grow_several(rt, random, depth, several);
      return {when_all(std::move(several)).then([](std::vector<future<long>> all) {
                long added = 0;
                for (auto& f : all) {
                  EXPECT_TRUE(f.ready());
                  added += value_or_penalty(f);
                }
                return added;
              }),
              sum};
    }
    case 1: {
      std::vector<future<long>> several;
      const long sum = grow_several(rt, random, depth, several);
      const bool continued = random() % 2 == 0;
      return {when_any(std::move(several))
                  .then([continued](when_any_result<std::vector<future<long>>> any) {
                    EXPECT_TRUE(any.futures[any.index].ready());
                    long added = 0;
                    for (auto& f : any.futures) {
                      if (continued) f = f.then([](long i) { return i; });
                      added += value_or_penalty(f);
                    }
                    return added;
                  }),
              sum};
    }
    default: {
      tree below = grow(rt, random(), depth - 1);
      for (unsigned n = 1 + random() % 5; n > 0; --n) {
        const bool throws = random() % 20 == 0;
        below.top = below.top.then([throws](long i) {
          if (throws) throw std::runtime_error("continuation");
          return i + 1;
        });
        if (throws) below.expected.reset();
        if (below.expected) ++*below.expected;
      }
      return below;
    }
  }
}

/// Grows one and asks for its value in one way or another.
void grow_and_ask(runtime& rt, unsigned seed) {
  generator random(seed);
  tree made = grow(rt, random(), 1 + static_cast<int>(random() % 4));
  switch (random() % 4) {
    case 0:
      made.top.wait();
      break;
    case 1:
      while (made.top.wait_for(std::chrono::microseconds(random() % 100)) != future_status::ready) {
      }
      break;
    case 2:
      if (random() % 3 == 0) return;  // dropped
      break;
    default:
      break;
  }
  EXPECT_EQ(value_or_penalty(made.top), made.expected.value_or(-1000)) << "seed " << seed;
}

class random_futures : public testing::TestWithParam<unsigned> {};

TEST_P(random_futures, give_what_they_are_to_give) {
  runtime rt({.workers = GetParam()});
  test::deadline deadline(rt, std::chrono::seconds{60});
  unsigned seed = 1000 * GetParam();
  for (int n = test::repetitions(300); n > 0; --n, seed += 16) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::jthread other([&] { grow_and_ask(rt, seed + 1); });
    if (n % 2 == 0) {
      rt.run([&] { grow_and_ask(rt, seed + 2); });
    } else {
      grow_and_ask(rt, seed + 2);
    }
    const auto witness = std::make_shared<int>(0);
    std::atomic<int> begun{0};
    task_group group(rt);
    for (unsigned i = 3; i < 12; ++i) {
      group.spawn([&, i, witness] {
        ++begun;
        grow_and_ask(rt, seed + i);
        if (n % 3 == 0 && i == 7) group.request_stop();
      });
    }
    const wait_status status = group.wait();
    EXPECT_EQ(witness.use_count(), 1);
    if (status == wait_status::completed) {
      EXPECT_EQ(begun, 9);
    }
    other.join();
    ASSERT_FALSE(HasFailure());
    deadline.renew();
  }
}

INSTANTIATE_TEST_SUITE_P(workers, random_futures, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::random_futures_test
