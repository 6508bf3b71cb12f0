// What programs written for oneTBB rely on besides results: how bodies are cancelled, copied, split
// and joined, and with which floating-point settings they calculate.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstddef>
#include <iterator>
#include <latch>
#include <list>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "either_tbb.hpp"

// A program may add names of its own.
namespace tbb {
template <typename T>
int own_name(const T&) {
  return 5;
}
}  // namespace tbb

namespace {

static_assert(TBB_VERSION_MAJOR == 2021 && TBB_INTERFACE_VERSION >= 12000);
static_assert(TBB_USE_EXCEPTIONS == 1 && TBB_USE_DEBUG == 0 && TBB_USE_ASSERT == 0 &&
              TBB_USE_PROFILING_TOOLS == 0);

using range = tbb::blocked_range<int>;

TEST(names, can_be_added_to_the_namespace) {
  EXPECT_EQ(tbb::own_name(1), 5);
  EXPECT_GE(TBB_runtime_interface_version(), 12000);
}

TEST(names, of_versions_and_for_profiling_tools) {
  EXPECT_STREQ(TBB_VERSION_STRING, "2021.8");
  EXPECT_STREQ(TBB_runtime_version(), TBB_VERSION_STRING);
  tbb::queuing_mutex one;
  tbb::spin_rw_mutex other;
  tbb::profiling::set_name(one, "one");
  tbb::profiling::set_name(other, "other");
}

TEST(floating_point, settings_of_the_maker_hold_in_an_arena) {
  tbb::parallel_for(0, 100, [](int) {});
  const int before = std::fegetround();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  tbb::task_arena arena(2);
  arena.initialize();
  std::atomic<int> without{0};
  const auto check = [&](int) {
    if (std::fegetround() != FE_UPWARD) ++without;
    std::this_thread::yield();
  };
  arena.execute([&] { tbb::parallel_for(0, 2000, check, tbb::simple_partitioner()); });
  ASSERT_EQ(std::fesetround(before), 0);
  arena.execute([&] { tbb::parallel_for(0, 2000, check, tbb::simple_partitioner()); });
  EXPECT_EQ(without, 0);
  EXPECT_EQ(std::fegetround(), before);
}

TEST(contexts, are_cancelled_with_what_is_around_them) {
  tbb::task_group_context outer;
  std::atomic<int> inherited{0};
  std::atomic<int> isolated{0};
  tbb::parallel_for(
      0, 1,
      [&](int) {
        tbb::task_group_context inner;
        tbb::task_group_context alone(tbb::task_group_context::isolated);
        tbb::parallel_for(
            0, 1,
            [&](int) {
              outer.cancel_group_execution();
              if (inner.is_group_execution_cancelled()) ++inherited;
              if (tbb::is_current_task_group_canceling()) ++inherited;
            },
            tbb::auto_partitioner(), inner);
        tbb::parallel_for(0, 1, [&](int) { ++isolated; }, tbb::auto_partitioner(), alone);
        tbb::parallel_for(0, 100, [&](int) { isolated = 1000; });  // cancelled
      },
      tbb::auto_partitioner(), outer);
  EXPECT_EQ(inherited, 2);
  EXPECT_EQ(isolated, 1);
  tbb::parallel_for(0, 9, [&](int) { ++isolated; }, tbb::auto_partitioner(), outer);
  EXPECT_EQ(isolated, 1);
  outer.reset();
  tbb::parallel_for(0, 9, [&](int) { ++isolated; }, tbb::auto_partitioner(), outer);
  EXPECT_EQ(isolated, 10);
}

TEST(contexts, are_cancelled_by_exceptions_and_cancel_groups) {
  tbb::task_group_context context;
  EXPECT_THROW(
      tbb::parallel_for(
          0, 100, [](int) { throw std::range_error("one"); }, tbb::auto_partitioner(), context),
      std::range_error);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  context.reset();
  std::atomic<int> ran{0};
  tbb::task_group group(context);
  context.cancel_group_execution();
  group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), tbb::canceled);
  EXPECT_EQ(ran, 0);
  group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), tbb::complete);
  EXPECT_EQ(ran, 1);
}

struct called_as_const {
  std::atomic<int>* other;
  void operator()() { ++*other; }
  void operator()() const {}
  void operator()(int) { ++*other; }
  void operator()(int) const {}
};
TEST(function_objects, are_called_as_const) {
  std::atomic<int> other{0};
  const called_as_const f{&other};
  tbb::parallel_for(0, 100, f);
  tbb::task_group group;
  group.run(f);
  group.run_and_wait(f);
  std::atomic<bool> ended{false};
  tbb::task_arena arena;
  arena.enqueue(f);
  arena.enqueue([&ended] { ended = true; });
  while (!ended) std::this_thread::yield();
  EXPECT_EQ(other, 0);
}

// Knows which elements its sum is of.
struct noting_scan {
  long sum = 0;
  int first = -1;
  int last = -1;
  bool assigned = false;
  std::atomic<int>* wrong;

  explicit noting_scan(std::atomic<int>& count) : wrong(&count) {}
  noting_scan(noting_scan& other, tbb::split) : wrong(other.wrong) {}
  template <typename Tag>
  void operator()(const range& r, Tag) {
    if (Tag::is_final_scan() && assigned) ++*wrong;
    const bool has_all_before = first == 0 ? last == r.begin() : first == -1 && r.begin() == 0;
    if (Tag::is_final_scan() && !has_all_before) ++*wrong;
    if (first == -1) first = r.begin();
    last = r.end();
    for (int i = r.begin(); i < r.end(); ++i) sum += i;
  }
  void reverse_join(noting_scan& left) {
    if (left.last != first) ++*wrong;
    first = left.first;
    sum += left.sum;
  }
  void assign(noting_scan& other) {
    sum = other.sum;
    last = other.last;
    assigned = true;
  }
};
TEST(parallel_scan, joins_neighbours_and_assigns_to_the_callers_body_alone) {
  std::atomic<int> wrong{0};
  for (int n = 1; n < 3000; n += 37) {
    noting_scan body(wrong);
    tbb::parallel_scan(range(0, n), body);
    EXPECT_EQ(body.sum, 1L * n * (n - 1) / 2);
    EXPECT_EQ(body.last, n);
    EXPECT_TRUE(body.assigned);
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ranges, are_split_in_proportion_without_overflow) {
  const std::size_t all = static_cast<std::size_t>(-1) / 2;
  tbb::blocked_range<std::size_t> left(0, all);
  tbb::proportional_split by(1, 3);
  const tbb::blocked_range<std::size_t> right(left, by);
  EXPECT_NEAR(static_cast<double>(right.size()) / static_cast<double>(all), 0.75, 0.001);
  EXPECT_EQ(left.end(), right.begin());
  for (const std::size_t parts : {std::size_t{1}, std::size_t{2}}) {  // of 5: 2.5, and 3.3
    range five(0, 5);
    tbb::proportional_split rounded(1, parts);
    EXPECT_EQ(range(five, rounded).size(), 3U);
  }
#ifndef EVENCUBE_TEST_TBB_ITSELF
  range ten(0, 10);
  tbb::proportional_split uneven(1000, 1);
  EXPECT_EQ(range(ten, uneven).size(), 1U);
#endif
  tbb::blocked_range2d<int> plane(0, 8, 0, 100);
  const tbb::blocked_range2d<int> part(plane, by);
  EXPECT_EQ(part.cols().size(), 75U);
}

// Counts how it and its parts are split.
struct counting_range {
  explicit counting_range(int n) : size(n) {}
  counting_range(counting_range& r, tbb::split) : counting_range(r, r.size / 2) { ++halved; }
  counting_range(counting_range& r, tbb::proportional_split& by)
      : counting_range(r, static_cast<int>(static_cast<std::size_t>(r.size) * by.right() /
                                           (by.left() + by.right()))) {
    ++in_proportion;
  }
  [[nodiscard]] bool empty() const { return size == 0; }
  [[nodiscard]] bool is_divisible() const { return size > 1; }

  int size;
  static inline std::atomic<int> halved{0};
  static inline std::atomic<int> in_proportion{0};

 private:
  counting_range(counting_range& r, int right) : size(right) { r.size -= right; }
};
struct counted_splits {
  int halved;
  int in_proportion;
};
template <typename Partitioner>
counted_splits splits_with(Partitioner&& by) {
  counting_range::halved = counting_range::in_proportion = 0;
  std::atomic<int> seen{0};
  tbb::parallel_for(counting_range(1000), [&](const counting_range& r) { seen += r.size; }, by);
  EXPECT_EQ(seen, 1000);
  return {counting_range::halved, counting_range::in_proportion};
}

TEST(ranges, are_split_in_proportion_by_partitioners_that_know_the_workers) {
  EXPECT_EQ(splits_with(tbb::static_partitioner()).halved, 0);
  EXPECT_EQ(splits_with(tbb::simple_partitioner()).halved, 999);
  EXPECT_EQ(splits_with(tbb::simple_partitioner()).in_proportion, 0);
  EXPECT_EQ(splits_with(tbb::auto_partitioner()).in_proportion, 0);
  if (tbb::this_task_arena::max_concurrency() > 1) {
    tbb::affinity_partitioner affinity;
    EXPECT_GT(splits_with(affinity).in_proportion, 0);
    EXPECT_GT(splits_with(tbb::static_partitioner()).in_proportion, 0);
  }
}

TEST(groups, run_what_was_deferred) {
  tbb::task_group group;
  std::atomic<int> ran{0};
  tbb::task_handle handle = group.defer([&] { ++ran; });
  EXPECT_TRUE(handle != nullptr);
  EXPECT_EQ(ran, 0);
  group.run(std::move(handle));
  EXPECT_TRUE(handle == nullptr);  // NOLINT(bugprone-use-after-move): empty is what it must be
  group.wait();
  EXPECT_EQ(ran, 1);
  group.run_and_wait(group.defer([&] { ++ran; }));
  EXPECT_EQ(ran, 2);
}

TEST(groups, are_cancelled_if_nobody_waits) {
  const auto until_cancelled = [] {
    while (!tbb::is_current_task_group_canceling()) std::this_thread::yield();
  };
  const auto drop = [&](bool unwinding) {
    tbb::task_group group;
    for (int i = 0; i < 10; ++i) group.run(until_cancelled);
    if (unwinding) throw 1;
  };
  EXPECT_THROW(drop(false), tbb::missing_wait);
  EXPECT_THROW(drop(true), int);
  tbb::parallel_for(0, 2, [&](int) {
    EXPECT_THROW(drop(false), tbb::missing_wait);
    EXPECT_THROW(drop(true), int);
  });
  tbb::task_group waited;
  waited.run([] {});
  waited.wait();
}

// An item counts its copies, and those of the item that it was made from.
struct counting_item {
  counting_item() = default;
  counting_item(const counting_item& other) : copies(other.copies + 1) {}
  counting_item(counting_item&&) = default;
  counting_item& operator=(const counting_item&) = delete;
  ~counting_item() = default;
  int copies = 0;
};
TEST(items, are_moved_to_bodies_that_take_values) {
  std::list<counting_item> items(50);
  std::atomic<int> copies{0};
  std::atomic<int> calls{0};
  tbb::parallel_for_each(std::make_move_iterator(items.begin()),
                         std::make_move_iterator(items.end()),
                         [&](counting_item item, tbb::feeder<counting_item>& more) {
                           copies += item.copies;
                           if (++calls <= 50) more.add(counting_item());
                         });
  EXPECT_EQ(calls, 100);
  EXPECT_EQ(copies, 0);
}

TEST(items, are_moved_and_converted) {
  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 100; ++i) owners.push_back(std::make_unique<int>(i));
  std::atomic<int> sum{0};
  tbb::parallel_for_each(std::make_move_iterator(owners.begin()),
                         std::make_move_iterator(owners.end()), [&](std::unique_ptr<int>&& one) {
                           const std::unique_ptr<int> mine = std::move(one);
                           sum += *mine;
                         });
  EXPECT_EQ(sum, 4950);
  EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](auto& one) { return one == nullptr; }));
  const std::vector<int> some{1, 2, 3};
  std::atomic<long> fed{0};
  tbb::parallel_for_each(some.begin(), some.end(), [&](long item, tbb::feeder<long>& feed) {
    fed += item;
    if (item < 10) feed.add(item * 10);
  });
  EXPECT_EQ(fed, 66);
}

TEST(thread_values, are_copied_moved_and_enumerated) {
  tbb::enumerable_thread_specific<int> values(7);
  bool there = true;
  EXPECT_EQ(values.local(there), 7);
  EXPECT_FALSE(there);
  values.local(there) = 8;
  EXPECT_TRUE(there);
  tbb::enumerable_thread_specific<int> copy(values);
  EXPECT_EQ(copy.local(there), 8);
  EXPECT_TRUE(there);
  copy.local() = 9;
  EXPECT_EQ(values.local(), 8);
  values = std::move(copy);
  EXPECT_EQ(values.local(), 9);
  std::thread([&] { values.local() = 1; }).join();
  EXPECT_EQ(values.end() - values.begin(), 2);
  EXPECT_EQ(values.begin()[0] + *(values.begin() + 1), 10);
  std::atomic<int> sum{0};
  tbb::parallel_for(values.range(), [&](const auto& part) {
    for (const int one : part) sum += one;
  });
  EXPECT_EQ(sum, 10);
  tbb::enumerable_thread_specific<std::vector<int>> lists(std::size_t{3}, 5);
  EXPECT_EQ(lists.local(), (std::vector<int>{5, 5, 5}));
  std::thread([&] { lists.local() = {1, 2}; }).join();
  const auto flat = tbb::flatten2d(lists);
  EXPECT_EQ(flat.size(), 5U);
  EXPECT_EQ(std::accumulate(flat.begin(), flat.end(), 0), 18);
  // Constant iterators and ranges are made from others.
  auto all = tbb::flatten2d(lists);
  decltype(all)::const_iterator first = all.begin();
  EXPECT_TRUE(first == all.begin() && all.begin() == first && first != all.end());
  decltype(all)::iterator back = first;
  EXPECT_TRUE(back == first);
  decltype(lists)::const_range_type range_of_lists = lists.range();
  EXPECT_EQ(range_of_lists.end() - range_of_lists.begin(), 2);
  std::atomic<std::size_t> elements{0};
  tbb::parallel_for(
      range_of_lists,
      [&](const auto& part) {
        for (const auto& list : part) elements += list.size();
      },
      tbb::static_partitioner());
  EXPECT_EQ(elements, 5U);
}

TEST(arenas, are_attached_to_and_constrained) {
  tbb::task_arena outer(2);
  outer.execute([&] {
    tbb::task_arena same{tbb::task_arena::attach()};
    EXPECT_TRUE(same.is_active());
    EXPECT_EQ(same.max_concurrency(), 2);
    EXPECT_EQ(same.execute([] { return 3; }), 3);
  });
  tbb::task_arena three(tbb::task_arena::constraints{}.set_max_concurrency(3));
  EXPECT_EQ(three.max_concurrency(), 3);
  const auto nodes = tbb::info::numa_nodes();
  ASSERT_FALSE(nodes.empty());
  EXPECT_GE(tbb::info::default_concurrency(nodes[0]), 1);
}

struct counting_observer : tbb::task_scheduler_observer {
  std::atomic<int> inside{0};
  std::atomic<int> entries{0};
  explicit counting_observer(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) {
    observe(true);
  }
  ~counting_observer() override { observe(false); }
  void on_scheduler_entry(bool) override {
    ++inside;
    ++entries;
  }
  void on_scheduler_exit(bool) override { --inside; }
};
TEST(observers, are_notified_of_threads_in_their_arena) {
  tbb::task_arena arena(2);
  arena.initialize();
  counting_observer observer(arena);
  tbb::parallel_for(0, 100, [](int) {});
  const int before = observer.entries;
  std::atomic<int> unseen{0};
  arena.execute([&] {
    tbb::parallel_for(0, 1000, [&](int) {
      if (observer.inside == 0) ++unseen;
    });
  });
  EXPECT_EQ(before, 0);
  EXPECT_EQ(unseen, 0);
  EXPECT_GE(observer.entries, 1);
}

template <typename Mutex>
class rw_mutexes : public testing::Test {};
using all_rw_mutexes = testing::Types<tbb::spin_rw_mutex, tbb::rw_mutex, tbb::queuing_rw_mutex>;
TYPED_TEST_SUITE(rw_mutexes, all_rw_mutexes);

TYPED_TEST(rw_mutexes, let_in_one_writer_or_many_readers) {
  TypeParam mutex;
  long count = 0;  // not atomic
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 4000, [&](int i) {
    typename TypeParam::scoped_lock lock(mutex, i % 4 == 0);
    if (i % 4 == 0) {
      ++count;
      lock.downgrade_to_reader();
    }
    const long before = count;
    if (i % 4 == 1) {
      if (lock.upgrade_to_writer() && count != before) ++wrong;
      ++count;
    } else if (count != before) {
      ++wrong;
    }
  });
  EXPECT_EQ(count, 2000);
  EXPECT_EQ(wrong, 0);
}

TEST(queuing_mutex, lets_one_in_at_a_time) {
  tbb::queuing_mutex mutex;
  long count = 0;
  tbb::parallel_for(0, 4000, [&](int) {
    const tbb::queuing_mutex::scoped_lock lock(mutex);
    ++count;
  });
  EXPECT_EQ(count, 4000);
}

TEST(calls_once, are_made_once_and_again_after_an_exception) {
  tbb::collaborative_once_flag flag;
  std::atomic<int> calls{0};
  EXPECT_THROW(tbb::collaborative_call_once(flag, [] { throw std::range_error("no"); }),
               std::range_error);
  tbb::parallel_for(0, 1000, [&](int) {
    tbb::collaborative_call_once(flag, [&] {
      tbb::parallel_for(0, 10, [](int) {});
      ++calls;
    });
  });
  EXPECT_EQ(calls, 1);
}

#ifndef EVENCUBE_TEST_TBB_ITSELF
// One worker makes the call, and needs a task from outside. The other one waits for the call.
TEST(calls_once, lend_the_places_of_workers_that_wait) {
  evencube::runtime rt({.workers = 2, .spare_workers = 1});
  tbb::collaborative_once_flag flag;
  std::latch both(2);
  std::latch ran(1);
  evencube::task_group outside(rt);
  evencube::task_group calls(rt);
  for (int i = 0; i < 2; ++i) {
    calls.spawn([&] {
      both.arrive_and_wait();
      tbb::collaborative_call_once(flag, [&] {
        std::thread([&] { outside.spawn([&] { ran.count_down(); }); }).join();
        ran.wait();
      });
    });
  }
  calls.wait();
  outside.wait();
}
#endif

}  // namespace
