#include <atomic>
#include <cstdint>
#include <evencube/algorithms.hpp>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace evencube::worker_local_test {
namespace {

using local_values = test::on_workers;

TEST_P(local_values, are_the_workers_and_together_miss_nothing) {
  worker_local<std::uint64_t> sums(rt_);
  EXPECT_TRUE(sums.empty());
  EXPECT_EQ(sums.combine(std::plus<>{}), 0U);
  std::vector<std::atomic<std::uint64_t*>> of_worker(GetParam());
  parallel_for_blocks(rt_, 0U, 20'000U,
                      [&](unsigned first, unsigned last) {
                        std::uint64_t& mine = sums.local();
                        // The same place whenever this worker asks, and on no line of another's.
                        std::uint64_t* known = of_worker[this_worker()].exchange(&mine);
                        EXPECT_TRUE(known == nullptr || known == &mine);
                        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&mine) % 128, 0U);
                        for (unsigned i = first; i < last; ++i) mine += i;
                      },
                      {.grain = 50});
  EXPECT_EQ(sums.combine(std::plus<>{}), 20'000ULL * 19'999 / 2);
  std::set<std::uint64_t*> used;
  for (auto& place : of_worker) {
    if (place != nullptr) used.insert(place);
  }
  EXPECT_EQ(used.size(), sums.size());
  std::set<std::uint64_t*> met;
  for (std::uint64_t& value : sums) met.insert(&value);
  EXPECT_EQ(met, used);
  const auto& fixed = sums;
  EXPECT_EQ(std::accumulate(fixed.begin(), fixed.end(), std::uint64_t{0}), 20'000ULL * 19'999 / 2);
  sums.clear();
  EXPECT_TRUE(sums.empty());
  EXPECT_EQ(std::distance(fixed.begin(), fixed.end()), 0);
}

TEST_P(local_values, are_made_once_for_each_thread_that_asks_and_destroyed_once) {
  struct counted {
    explicit counted(std::atomic<int>& lives) : lives_(&lives) { ++*lives_; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --*lives_; }
    std::atomic<int>* lives_;
    std::uint64_t visits = 0;
  };
  std::atomic<int> lives{0};
  std::atomic<int> made{0};
  {
    // Neither copied nor moved: not even that is asked of a value.
    worker_local values(rt_, [&] {
      ++made;
      return counted(lives);
    });
    EXPECT_EQ(made, 0);
    parallel_for(rt_, 0, 1000, [&](int) { ++values.local().visits; });
    EXPECT_GE(made, 1);
    EXPECT_LE(made, static_cast<int>(GetParam()));
    EXPECT_EQ(made, lives);
    EXPECT_EQ(values.size(), static_cast<std::size_t>(made));
    std::uint64_t visits = 0;
    for (const counted& value : values) visits += value.visits;
    EXPECT_EQ(visits, 1000U);
    values.clear();
    EXPECT_EQ(lives, 0);
    values.local();
    EXPECT_EQ(lives, 1);
  }
  EXPECT_EQ(lives, 0);
}

TEST_P(local_values, of_threads_outside_are_their_own) {
  worker_local<std::vector<int>> seen(rt_);
  seen.local().push_back(-1);
  // The caller of `run` is worker 0 meanwhile, or a task runs on another: not this thread's place.
  rt_.run([&] { seen.local().push_back(-2); });
  std::vector<std::thread> threads;
  std::atomic<int> standing{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) seen.local().push_back(t);
      // Nobody ends before all have a place: ids of threads that have ended are given away again.
      for (++standing; standing < 4;) std::this_thread::yield();
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(seen.size(), 6U);
  // Workers come first.
  auto place = seen.begin();
  EXPECT_EQ(*place++, std::vector<int>{-2});
  EXPECT_EQ(*place++, std::vector<int>{-1});
  std::set<int> owners;
  for (; place != seen.end(); ++place) {
    EXPECT_EQ(*place, std::vector<int>(100, place->front()));
    owners.insert(place->front());
  }
  EXPECT_EQ(owners.size(), 4U);
}

TEST_P(local_values, of_tasks_of_another_runtime_are_not_those_of_its_workers) {
  runtime other({.workers = 2});
  worker_local<int> here(rt_);
  rt_.run([&] {
    here.local() = 1;
    other.run([&] {
      EXPECT_EQ(here.local(), 0);
      here.local() = 2;
    });
  });
  EXPECT_EQ(here.size(), 2U);
  EXPECT_EQ(*here.begin(), 1);
  EXPECT_EQ(here.combine([](int a, int b) { return 10 * a + b; }), 12);
}

TEST_P(local_values, may_be_movable_only_and_are_taken_then) {
  worker_local<std::unique_ptr<int>> values(rt_, [] { return std::make_unique<int>(0); });
  parallel_for(rt_, 0, 1000, [&](int) { ++*values.local(); });
  const auto add = [](std::unique_ptr<int> a, const std::unique_ptr<int>& b) {
    *a += *b;
    return a;
  };
  EXPECT_EQ(*std::move(values).combine(add), 1000);
  EXPECT_TRUE(values.empty());  // NOLINT(bugprone-use-after-move): what it says it is then
  EXPECT_EQ(*std::move(values).combine(add), 0);
}

TEST_P(local_values, whose_making_throws_are_made_by_the_next_who_asks) {
  std::atomic<bool> fails{true};
  worker_local<int> values(rt_, [&] {
    if (fails) throw std::runtime_error("no value");
    return 7;
  });
  EXPECT_THROW(values.local(), std::runtime_error);
  EXPECT_THROW(rt_.run([&] { static_cast<void>(values.local()); }), std::runtime_error);
  EXPECT_THROW(static_cast<void>(values.combine(std::plus<>{})), std::runtime_error);
  EXPECT_TRUE(values.empty());
  fails = false;
  rt_.run([&] { EXPECT_EQ(values.local(), 7); });
  EXPECT_EQ(values.local(), 7);
  EXPECT_EQ(values.combine(std::plus<>{}), 14);
}

TEST_P(local_values, that_are_asked_for_while_they_are_made_are_refused) {
  worker_local<int>* asked = nullptr;
  worker_local<int> values(rt_, [&] { return asked->local() + 1; });
  asked = &values;
  EXPECT_THROW(values.local(), error);
  EXPECT_THROW(rt_.run([&] { static_cast<void>(values.local()); }), error);
  EXPECT_TRUE(values.empty());
}

TEST_P(local_values, outlive_the_runtime) {
  std::unique_ptr<worker_local<int>> values;
  {
    runtime rt({.workers = GetParam()});
    values = std::make_unique<worker_local<int>>(rt);
    parallel_for(rt, 0, 500, [&](int) { ++values->local(); });
  }
  EXPECT_EQ(values->combine(std::plus<>{}), 500);
  values->local() = 1;
  EXPECT_EQ(values->combine(std::plus<>{}), 501);
}

// Spare workers have values of their own.
TEST_P(local_values, of_tasks_that_block) {
  runtime rt({.workers = GetParam(), .spare_workers = 3});
  const test::deadline limit(rt);
  worker_local<int> values(rt);
  task_group group(rt);
  for (int i = 0; i < 100; ++i) {
    group.spawn([&] {
      blocking([] { std::this_thread::yield(); });
      ++values.local();
    });
  }
  group.wait();
  EXPECT_EQ(values.combine(std::plus<>{}), 100);
  EXPECT_LE(values.size(), std::size_t{GetParam()} + 3);
}

TEST(local_value, keeps_the_alignment_of_its_type) {
  struct alignas(512) wide {
    char bytes[3];
  };
  runtime rt({.workers = 2});
  worker_local<wide> values(rt);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&values.local()) % 512, 0U);
  rt.run([&] { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&values.local()) % 512, 0U); });
}

INSTANTIATE_TEST_SUITE_P(workers, local_values, testing::ValuesIn(test::worker_counts),
                         test::workers_name);

}  // namespace
}  // namespace evencube::worker_local_test
