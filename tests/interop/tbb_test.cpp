// Loops, groups and values of each thread in oneTBB's words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "either_tbb.hpp"

namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<int> numbers(int n) {
  std::vector<int> some(static_cast<std::size_t>(n));
  std::iota(some.begin(), some.end(), 0);
  return some;
}

#ifndef EVENCUBE_TEST_TBB_ITSELF
// The first case, because arenas that later cases keep would hold the threads.
TEST(handles, end_the_threads_if_nothing_needs_them) {
  tbb::parallel_for(0, 100, [](int) {});
  tbb::task_scheduler_handle handle{tbb::attach{}};
  {
    tbb::task_scheduler_handle other{tbb::attach{}};
    EXPECT_FALSE(tbb::finalize(other, std::nothrow));  // there is another one
  }
  EXPECT_TRUE(tbb::finalize(handle, std::nothrow));
  EXPECT_FALSE(handle);
  tbb::task_scheduler_handle more{tbb::attach{}};
  handle = tbb::task_scheduler_handle{tbb::attach{}};
  EXPECT_TRUE(tbb::finalize(more, std::nothrow));  // there is nothing to end
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 100, [&](int) { ++calls; });
  EXPECT_EQ(calls, 100);
}
#endif

#ifndef EVENCUBE_TEST_TBB_ITSELF  // oneTBB takes the difference of two ints for an int
TEST(ranges, may_be_longer_than_their_type_can_say) {
  using limits = std::numeric_limits<int>;
  tbb::blocked_range<int> left(limits::min(), limits::max());
  EXPECT_EQ(left.size(), 0xffffffffU);
  tbb::blocked_range<int> right(left, tbb::split());
  EXPECT_EQ(left.size() + right.size(), 0xffffffffU);
  EXPECT_EQ(left.end(), right.begin());
  std::atomic<std::size_t> seen{0};
  tbb::parallel_for(tbb::blocked_range<int>(limits::min(), limits::max(), 1U << 28),
                    [&](const tbb::blocked_range<int>& part) { seen += part.size(); });
  EXPECT_EQ(seen, 0xffffffffU);
}
#endif

TEST(ranges, split_in_halves) {
  tbb::blocked_range<int> left(0, 11, 2);
  EXPECT_EQ(left.size(), 11u);
  EXPECT_EQ(left.grainsize(), 2u);
  EXPECT_TRUE(left.is_divisible());
  tbb::blocked_range<int> right(left, tbb::split());
  EXPECT_EQ(left.begin(), 0);
  EXPECT_EQ(left.end(), right.begin());
  EXPECT_EQ(right.end(), 11);
  EXPECT_NEAR(static_cast<double>(left.size()), 5.5, 0.6);
  tbb::proportional_split two_to_one(2, 1);
  tbb::blocked_range<int> third(left, two_to_one);
  EXPECT_GE(left.size(), third.size());
  EXPECT_TRUE(tbb::blocked_range<int>(3, 3).empty());
  EXPECT_FALSE(tbb::blocked_range<int>(0, 2, 2).is_divisible());

  tbb::blocked_range2d<int> wide(0, 4, 0, 100);
  tbb::blocked_range2d<int> half(wide, tbb::split());
  EXPECT_EQ(wide.rows().size(), 4u);
  EXPECT_EQ(wide.cols().size() + half.cols().size(), 100u);
  tbb::blocked_range3d<int> deep(0, 64, 0, 4, 0, 4);
  tbb::blocked_range3d<int> other(deep, tbb::split());
  EXPECT_EQ(deep.pages().size() + other.pages().size(), 64u);
}

template <typename Partitioner>
void expect_each_once(Partitioner&& by) {
  std::vector<int> calls(10000);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, calls.size(), 7),
      [&](const tbb::blocked_range<std::size_t>& r) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) ++calls[i];
      },
      by);
  EXPECT_THAT(calls, Each(1));
}

TEST(parallel_for, calls_every_index_once) {
  expect_each_once(tbb::auto_partitioner());
  expect_each_once(tbb::simple_partitioner());
  expect_each_once(tbb::static_partitioner());
  tbb::affinity_partitioner affinity;
  for (int run = 0; run < 3; ++run) expect_each_once(affinity);
  std::vector<int> calls(1000);
  tbb::parallel_for(0, 1000, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
  EXPECT_THAT(calls, Each(1));
  std::atomic<int> sum{0};
  tbb::parallel_for(-10, 11, 5, [&](int i) { sum += i + 100; });
  EXPECT_EQ(sum, 500);
  tbb::parallel_for(5, 5, [](int) { ADD_FAILURE(); });
  EXPECT_THROW(tbb::parallel_for(0, 10, 0, [](int) {}), std::invalid_argument);
}

#ifndef EVENCUBE_TEST_TBB_ITSELF
TEST(parallel_for, gives_each_of_three_workers_a_third) {
  evencube::runtime rt({.workers = 3});
  std::vector<std::atomic<int>> part_of(300);  // by its first number
  rt.run([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, part_of.size()),
        [&](const auto& r) { part_of[r.begin()] = static_cast<int>(r.size()); },
        tbb::static_partitioner());
  });
  std::vector<int> sizes;
  for (const auto& size : part_of) {
    if (size != 0) sizes.push_back(size);
  }
  EXPECT_THAT(sizes, ElementsAre(100, 100, 100));
}
#endif

TEST(parallel_for, goes_over_two_and_three_dimensions) {
  std::vector<std::atomic<int>> calls(30 * 40 * 5);
  tbb::parallel_for(tbb::blocked_range3d<int>(0, 5, 0, 30, 0, 40), [&](const auto& r) {
    for (int p = r.pages().begin(); p < r.pages().end(); ++p) {
      for (int y = r.rows().begin(); y < r.rows().end(); ++y) {
        for (int x = r.cols().begin(); x < r.cols().end(); ++x) {
          ++calls[static_cast<std::size_t>((p * 30 + y) * 40 + x)];
        }
      }
    }
  });
  for (const auto& n : calls) EXPECT_EQ(n, 1);
  std::atomic<int> cells{0};
  tbb::parallel_for(
      tbb::blocked_range2d<int>(0, 30, 4, 0, 40, 8),
      [&](const auto& r) {
        EXPECT_LE(r.rows().size(), 4u);
        EXPECT_LE(r.cols().size(), 8u);
        cells += static_cast<int>(r.rows().size() * r.cols().size());
      },
      tbb::simple_partitioner());
  EXPECT_EQ(cells, 1200);
}

TEST(parallel_for, nests_and_passes_an_exception_on) {
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 20, [&](int) { tbb::parallel_for(0, 20, [&](int) { ++calls; }); });
  EXPECT_EQ(calls, 400);
  EXPECT_THROW(tbb::parallel_for(0, 100000,
                                 [](int i) {
                                   if (i == 777) throw std::out_of_range("777");
                                 }),
               std::out_of_range);
}

TEST(parallel_for, is_cancelled_by_its_context) {
  tbb::task_group_context context;
  std::atomic<int> calls{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 1000000),
      [&](const tbb::blocked_range<int>&) {
        ++calls;
        context.cancel_group_execution();
      },
      tbb::simple_partitioner(), context);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  EXPECT_LT(calls, 1000000);
  EXPECT_GT(calls, 0);
}

struct summing_body {
  explicit summing_body(const std::vector<int>& some) : of(some) {}
  summing_body(summing_body& other, tbb::split) : of(other.of) {}
  void operator()(const tbb::blocked_range<std::size_t>& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) sum += of[i];
  }
  void join(summing_body& right) { sum += right.sum; }

  const std::vector<int>& of;
  long sum = 0;
};

TEST(parallel_reduce, folds_by_bodies_and_by_functions) {
  const std::vector<int> some = numbers(100000);
  summing_body body(some);
  tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, some.size()), body);
  EXPECT_EQ(body.sum, 4999950000L);
  const std::string word = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 200), std::string(),
      [](const tbb::blocked_range<int>& r, std::string value) {
        for (int i = r.begin(); i != r.end(); ++i) value += static_cast<char>('a' + i % 26);
        return value;
      },
      [](std::string a, const std::string& b) { return std::move(a) + b; });
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += static_cast<char>('a' + i % 26);
  EXPECT_EQ(word, expected);
}

/// Remembers the parts that it was called with, and how often it was split.
struct noting_body {
  explicit noting_body(std::atomic<int>& count) : splits(&count) {}
  noting_body(noting_body& other, tbb::split) : splits(other.splits) { ++*splits; }
  void operator()(const tbb::blocked_range<int>& r) {
    for (int i = r.begin(); i != r.end(); ++i) seen.push_back(i);
  }
  void join(noting_body& right) { seen.insert(seen.end(), right.seen.begin(), right.seen.end()); }

  std::atomic<int>* splits;
  std::vector<int> seen;
};

/// Calls f() where nobody else works.
template <typename F>
void alone(const F& f) {
#ifdef EVENCUBE_TEST_TBB_ITSELF
  tbb::task_arena(1).execute(f);
#else
  // In an arena of one place others go on while who has it waits.
  evencube::runtime({.workers = 1}).run(f);
#endif
}

TEST(parallel_reduce, splits_a_body_only_for_what_runs_beside_it) {
  std::vector<int> all(20000);
  std::iota(all.begin(), all.end(), 0);
  std::atomic<int> splits{0};
  alone([&] {
    noting_body body(splits);
    tbb::parallel_reduce(tbb::blocked_range<int>(0, 20000, 10), body, tbb::simple_partitioner());
    EXPECT_EQ(body.seen, all);
    EXPECT_EQ(splits, 0);
    tbb::parallel_deterministic_reduce(tbb::blocked_range<int>(20000, 20100, 10), body);
    EXPECT_GE(splits, 9);
  });
  for (int k = 0; k < 50; ++k) {
    noting_body body(splits);
    tbb::parallel_reduce(tbb::blocked_range<int>(0, 20000, 10), body, tbb::simple_partitioner());
    EXPECT_EQ(body.seen, all);
  }
}

TEST(parallel_reduce, has_a_deterministic_form) {
  const auto sum = [] {
    return tbb::parallel_deterministic_reduce(
        tbb::blocked_range<int>(1, 100000, 64), 0.0,
        [](const tbb::blocked_range<int>& r, double value) {
          for (int i = r.begin(); i != r.end(); ++i) value += 1.0 / i;
          return value;
        },
        std::plus<double>());
  };
  const double first = sum();
  for (int k = 0; k < 20; ++k) EXPECT_EQ(sum(), first);
}

TEST(parallel_scan, gives_prefix_sums) {
  for (const int n : {1, 2, 10, 1000, 50000}) {
    const std::vector<int> some = numbers(n);
    std::vector<long> sums(some.size());
    const long total = tbb::parallel_scan(
        tbb::blocked_range<std::size_t>(0, some.size()), 0L,
        [&](const tbb::blocked_range<std::size_t>& r, long sum, bool is_final) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            sum += some[i];
            if (is_final) sums[i] = sum;
          }
          return sum;
        },
        std::plus<long>());
    std::vector<long> expected(some.size());
    std::partial_sum(some.begin(), some.end(), expected.begin(), std::plus<long>());
    EXPECT_EQ(sums, expected);
    EXPECT_EQ(total, expected.back());
  }
}

struct word_scan {
  explicit word_scan(std::vector<std::string>& words) : out(words) {}
  word_scan(word_scan& other, tbb::split) : out(other.out) {}
  template <typename Tag>
  void operator()(const tbb::blocked_range<int>& r, Tag) {
    for (int i = r.begin(); i != r.end(); ++i) {
      word += static_cast<char>('a' + i % 26);
      if (Tag::is_final_scan()) out[static_cast<std::size_t>(i)] = word;
    }
  }
  void reverse_join(word_scan& left) { word = left.word + word; }
  void assign(word_scan& other) { word = other.word; }

  std::vector<std::string>& out;
  std::string word;
};

TEST(parallel_scan, takes_a_body_and_keeps_the_order) {
  std::vector<std::string> words(300);
  word_scan body(words);
  tbb::parallel_scan(tbb::blocked_range<int>(0, 300), body);
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(words[i].size(), i + 1);
    EXPECT_EQ(words[i].back(), static_cast<char>('a' + i % 26));
    EXPECT_TRUE(words.back().starts_with(words[i]));
  }
  EXPECT_EQ(body.word, words.back());
}

TEST(other_algorithms, sort_invoke_and_for_each) {
  std::vector<int> some = numbers(50000);
  std::reverse(some.begin(), some.end());
  tbb::parallel_sort(some);
  EXPECT_EQ(some, numbers(50000));
  tbb::parallel_sort(some.begin(), some.end(), std::greater<int>());
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end(), std::greater<int>()));

  int a = 0;
  int b = 0;
  int c = 0;
  tbb::parallel_invoke([&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
  EXPECT_THAT((std::vector{a, b, c}), ElementsAre(1, 2, 3));

  std::list<int> items{1, 2, 3};
  std::atomic<int> sum{0};
  tbb::parallel_for_each(items.begin(), items.end(), [&](int i, tbb::feeder<int>& feed) {
    sum += i;
    if (i < 100) feed.add(i * 10);
  });
  EXPECT_EQ(sum, 6 + 60 + 600);
  tbb::parallel_for_each(items, [&](int& i) { i = -i; });
  EXPECT_THAT(items, ElementsAre(-1, -2, -3));
}

TEST(task_group, runs_waits_and_cancels) {
  tbb::task_group group;
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), tbb::complete);
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(group.run_and_wait([&] {
    for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
  }),
            tbb::complete);
  EXPECT_EQ(ran, 110);
  group.run([] { throw std::range_error("one"); });
  EXPECT_THROW(group.wait(), std::range_error);
  group.run([&] { group.cancel(); });
  EXPECT_EQ(group.wait(), tbb::canceled);
  group.run([&] { ++ran; });  // it can be used again
  EXPECT_EQ(group.wait(), tbb::complete);
  EXPECT_EQ(ran, 111);
}

TEST(task_group, is_cancelled_by_an_exception) {
  for (int round = 0; round < 100; ++round) {
    tbb::task_group group;
    std::atomic<int> ran{0};
    std::atomic<bool> begun{false};
    group.run([&] {
      // A lone worker begins this one first, and the other never.
      for (int i = 0; i < 1000 && !begun; ++i) std::this_thread::yield();
      throw std::range_error("one");
    });
    group.run([&] {
      begun = true;
      while (!tbb::is_current_task_group_canceling()) std::this_thread::yield();
      ++ran;
    });
    EXPECT_THROW(group.wait(), std::range_error);
    EXPECT_LE(ran, 1);
    group.run([&] { ran = 10; });
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_EQ(ran, 10);
  }
}

TEST(task_group, is_waited_for_and_cancelled_by_several_threads) {
  for (int round = 0; round < 200; ++round) {
    tbb::task_group group;
    std::atomic<int> ran{0};
    for (int i = 0; i < 20; ++i) {
      group.run([&] {
        if (++ran == 5) group.cancel();
      });
    }
    std::thread canceller([&] { group.cancel(); });
    std::thread waiter([&] { group.wait(); });
    group.wait();
    waiter.join();
    canceller.join();
    group.wait();  // forgets what came after
    ran = 0;
    group.run([&] { ++ran; });
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_EQ(ran, 1);
  }
}

TEST(task_group, made_outside_stays_so_when_it_was_cancelled_inside) {
  tbb::task_group group;
  tbb::task_arena arena(2);
  arena.execute([&] {
    group.run([] {});
    group.cancel();
    group.wait();
  });
  std::atomic<int> ran{0};
  group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), tbb::complete);
  EXPECT_EQ(ran, 1);
}

TEST(parallel_for, tells_its_bodies_that_it_was_cancelled) {
  tbb::task_group_context context;
  std::atomic<int> told{0};
  tbb::parallel_for(
      0, 1,
      [&](int) {
        EXPECT_FALSE(tbb::is_current_task_group_canceling());
        context.cancel_group_execution();
        if (tbb::is_current_task_group_canceling()) ++told;
      },
      context);
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(tbb::is_current_task_group_canceling());
}

/// Splits one off at a time.
class peeled {
 public:
  peeled(int first, int last) : first_(first), last_(last) {}
  peeled(peeled& from, tbb::split) : first_(from.first_ + 1), last_(from.last_) {
    from.last_ = first_;
  }
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] bool is_divisible() const { return size() > 1; }
  [[nodiscard]] int size() const { return last_ - first_; }

 private:
  int first_;
  int last_;
};

TEST(parallel_for, splits_to_the_grain_however_uneven_the_halves_are) {
  std::atomic<int> parts{0};
  tbb::parallel_for(
      peeled(0, 300),
      [&](const peeled& part) {
        EXPECT_EQ(part.size(), 1);
        ++parts;
      },
      tbb::simple_partitioner());
  EXPECT_EQ(parts, 300);
}

int fibonacci(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  tbb::task_group group;
  group.run([&] { a = fibonacci(n - 1); });
  b = fibonacci(n - 2);
  group.wait();
  return a + b;
}

TEST(task_group, nests) { EXPECT_EQ(fibonacci(16), 987); }

TEST(values, are_made_by_what_can_be_called) {
  tbb::combinable<bool> flags([] { return false; });  // which converts to true
  EXPECT_FALSE(flags.local());
  using fives_type = tbb::enumerable_thread_specific<int>;
  static_assert(std::is_const_v<fives_type::const_iterator::value_type>, "as in oneTBB");
  static_assert(!std::is_const_v<fives_type::iterator::value_type>);
  tbb::enumerable_thread_specific<int> fives(5);
  EXPECT_EQ(fives.local(), 5);
}

TEST(values, of_each_thread_are_combined) {
  tbb::enumerable_thread_specific<long> sums(0L);
  tbb::combinable<long> others([] { return 0L; });
  tbb::parallel_for(0, 10000, [&](int i) {
    sums.local() += i;
    others.local() += 2 * i;
  });
  EXPECT_EQ(sums.combine(std::plus<long>()), 49995000L);
  long all = 0;
  others.combine_each([&](long one) { all += one; });
  EXPECT_EQ(all, 99990000L);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), 49995000L);
  EXPECT_GE(sums.size(), 1u);
  sums.clear();
  EXPECT_TRUE(sums.empty());
}

TEST(arena, isolates_and_numbers_threads) {
  EXPECT_GE(tbb::this_task_arena::max_concurrency(), 1);
  EXPECT_EQ(tbb::this_task_arena::isolate([] { return 7; }), 7);
  std::atomic<bool> in_range{true};
  tbb::parallel_for(0, 1000, [&](int) {
    const int index = tbb::this_task_arena::current_thread_index();
    if (index < 0 || index >= tbb::this_task_arena::max_concurrency()) in_range = false;
  });
  EXPECT_TRUE(in_range);
  EXPECT_GE(tbb::info::default_concurrency(), 1);
}

TEST(any_thread, may_call) {
  std::atomic<int> calls{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) tbb::parallel_for(0, 100, [&](int) { ++calls; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 8000);
}

#ifndef EVENCUBE_TEST_TBB_ITSELF
// What differs: the default runtime keeps its workers.
TEST(global_control, refuses_what_cannot_be) {
  using tbb::global_control;
  EXPECT_THROW(global_control(global_control::max_allowed_parallelism, 0), std::invalid_argument);
  const std::size_t workers = tbb::default_runtime().workers();
  EXPECT_EQ(global_control::active_value(global_control::max_allowed_parallelism), workers);
  const global_control enough(global_control::max_allowed_parallelism, workers);
  EXPECT_EQ(global_control::active_value(global_control::max_allowed_parallelism), workers);
}
#endif

// The default runtime, or oneTBB's threads, are there already.
TEST(global_control, lowers_the_limit_while_it_lives) {
  using tbb::global_control;
  tbb::parallel_for(0, 100, [](int) {});
  const std::size_t before = global_control::active_value(global_control::max_allowed_parallelism);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  const auto note = [&] {
    const int now = ++inside;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    --inside;
  };
  {
    const global_control lone(global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(global_control::active_value(global_control::max_allowed_parallelism), 1U);
    tbb::parallel_for(0, 20000, [&](int) { note(); });
    tbb::task_group group;
    for (int n = 0; n < 1000; ++n) group.run(note);
    group.wait();
    EXPECT_EQ(most, 1);
  }
  EXPECT_EQ(global_control::active_value(global_control::max_allowed_parallelism), before);
}

TEST(tick_count, tells_seconds_between_two_moments) {
  const tbb::tick_count first = tbb::tick_count::now();
  const tbb::tick_count second = tbb::tick_count::now();
  EXPECT_GE((second - first).seconds(), 0.0);
  EXPECT_LE(tbb::tick_count::resolution(), 1e-3);
  EXPECT_GT(tbb::tick_count::resolution(), 0.0);
  tbb::tick_count::interval_t sum(1.5);
  sum += tbb::tick_count::interval_t(0.5);
  EXPECT_DOUBLE_EQ((sum - tbb::tick_count::interval_t(0.25)).seconds(), 1.75);
  sum -= tbb::tick_count::interval_t();
  EXPECT_DOUBLE_EQ((sum + sum).seconds(), 4.0);
}

template <typename Mutex>
class mutexes : public testing::Test {};
using all_mutexes = testing::Types<tbb::spin_mutex, tbb::mutex>;
TYPED_TEST_SUITE(mutexes, all_mutexes);

TYPED_TEST(mutexes, let_one_in_at_a_time) {
  TypeParam mutex;
  long count = 0;  // not atomic
  tbb::parallel_for(0, 20000, [&](int) {
    const typename TypeParam::scoped_lock lock(mutex);
    ++count;
  });
  EXPECT_EQ(count, 20000);
}

TYPED_TEST(mutexes, are_taken_and_released_by_hand) {
  TypeParam mutex;
  typename TypeParam::scoped_lock first;
  typename TypeParam::scoped_lock second;
  first.acquire(mutex);
  bool got = true;
  std::thread([&] {  // of some mutexes not by the thread that has it
    typename TypeParam::scoped_lock third;
    got = third.try_acquire(mutex);
  })
      .join();
  EXPECT_FALSE(got);
  first.release();
  EXPECT_TRUE(second.try_acquire(mutex));
  second.release();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(allocators, give_memory_to_containers) {
  EXPECT_TRUE(tbb::tbb_allocator<void>() == tbb::tbb_allocator<int>());
  EXPECT_TRUE(tbb::cache_aligned_allocator<void>() == tbb::cache_aligned_allocator<void>());
  std::vector<int, tbb::tbb_allocator<int>> plain(1000, 3);
  std::vector<int, tbb::cache_aligned_allocator<int>> aligned(1000, 4);
  aligned.push_back(5);
  EXPECT_EQ(plain.back() + aligned.front() + aligned.back(), 12);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.data()) % 64, 0U);
  EXPECT_THROW(static_cast<void>(
                   tbb::cache_aligned_allocator<int>().allocate(static_cast<std::size_t>(-1) / 2)),
               std::bad_alloc);
}

}  // namespace
