// Coroutines: they begin when they are awaited, give their results and exceptions to who awaits
// them, need no stack however many follow or nest, and leave nothing behind if they never run.
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "coroutine_support.hpp"
#include "repetitions.hpp"

namespace evencube::test::coroutine_task_test {
namespace {

using coroutine_tasks = coroutines_on;

template <typename T>
evencube::task<T> pass_on(evencube::task<T> inner) {
  co_return co_await std::move(inner);
}

/// Wants more alignment than the frame of a coroutine has by itself.
template <std::size_t Alignment>
struct alignas(Alignment) wide {
  wide() = default;
  wide(const wide& other) : value(other.value) { check(); }
  wide& operator=(const wide&) = default;
  void check() const { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % Alignment, 0); }

  int value = 0;
};

template <typename T>
evencube::task<T> copy_of(const T* from) {
  co_return *from;
}

template <std::size_t Alignment>
void give_wide_values(runtime& rt) {
  wide<Alignment> one;
  one.value = 5;
  // Of several, for one alone might stand right by chance.
  std::vector<future<wide<Alignment>>> all;
  for (int i = 0; i < 20; ++i) all.push_back(start(rt, copy_of(&one)));
  for (auto& each : all) EXPECT_EQ(each.get().value, 5);
  EXPECT_EQ(sync_wait(rt, copy_of(&one)).value, 5);
}

TEST_P(coroutine_tasks, give_values_of_strict_alignment) {
  give_wide_values<8>(rt_);
  give_wide_values<32>(rt_);
  give_wide_values<64>(rt_);
  give_wide_values<4096>(rt_);
}

TEST_P(coroutine_tasks, give_values_references_and_nothing) {
  int global = 1;
  const auto refer = [&]() -> evencube::task<int&> { co_return global; };
  const auto own = []() -> evencube::task<std::unique_ptr<int>> {
    co_return std::make_unique<int>(5);
  };
  const auto nothing = [&]() -> evencube::task<> {
    ++global;
    co_return;
  };
  const auto text = []() -> evencube::task<std::string> { co_return "text"; };
  EXPECT_EQ(sync_wait(rt_, pass_on(give(3))), 3);
  EXPECT_EQ(&sync_wait(rt_, pass_on(refer())), &global);
  EXPECT_EQ(*sync_wait(rt_, pass_on(own())), 5);
  sync_wait(rt_, nothing());
  EXPECT_EQ(global, 2);
  EXPECT_EQ(sync_wait(rt_, text()), "text");
  EXPECT_EQ(start(rt_, pass_on(own())).then([](std::unique_ptr<int> i) { return *i + 1; }).get(),
            6);
  EXPECT_EQ(&start(rt_, refer()).get(), &global);
  rt_.run([&] { EXPECT_EQ(sync_wait(pass_on(give(4))), 4); });
}

TEST_P(coroutine_tasks, throw_to_who_awaits_them) {
  const auto outer = []() -> evencube::task<int> {
    try {
      co_await fail(7);
    } catch (const failure_of_test& f) {
      co_return f.number;
    }
    co_return 0;
  };
  EXPECT_EQ(sync_wait(rt_, outer()), 7);
  EXPECT_THROW(sync_wait(rt_, pass_on(fail(1))), failure_of_test);
  EXPECT_THROW(start(rt_, pass_on(fail(2))).get(), failure_of_test);
  EXPECT_THROW(rt_.run([] { sync_wait(fail(3)); }), failure_of_test);
}

TEST_P(coroutine_tasks, begin_when_they_are_awaited) {
  int steps = 0;
  const auto inner = [&]() -> evencube::task<> {
    ++steps;
    co_return;
  };
  const auto outer = [&]() -> evencube::task<> {
    auto later = inner();
    EXPECT_EQ(steps, 0);
    EXPECT_TRUE(later.valid());
    co_await std::move(later);
    EXPECT_EQ(steps, 1);
  };
  sync_wait(rt_, outer());
  EXPECT_EQ(steps, 1);
}

TEST(coroutine_task, that_never_runs_destroys_its_parameters) {
  const auto held = std::make_shared<int>(1);
  const auto keep = [](std::shared_ptr<int> mine) -> evencube::task<int> { co_return *mine; };
  {
    auto first = keep(held);
    auto second = std::move(first);
    EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): empty is what it must be
    EXPECT_EQ(held.use_count(), 2);
    first = keep(held);
    first = std::move(second);
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(coroutine_task, that_is_empty_is_refused) {
  runtime rt{{.workers = 2}};
  const auto await_empty = []() -> evencube::task<> {
    evencube::task<> none;
    EXPECT_THROW(co_await std::move(none), error);
    std::vector<evencube::task<>> several(2);
    EXPECT_THROW(co_await when_all(std::move(several)), error);
  };
  sync_wait(rt, await_empty());
  EXPECT_THROW(start(rt, evencube::task<>()), error);
  EXPECT_THROW(sync_wait(rt, evencube::task<int>()), error);
}

TEST(coroutine_task, is_waited_for_inside_of_tasks_or_through_a_runtime) {
  EXPECT_THROW(sync_wait(give(1)), error);
}

TEST(coroutine_task, may_outlive_the_runtime_that_made_its_frame) {
  auto kept = [] {
    runtime rt{{.workers = 1}};
    return rt.run([] { return give(3); });
  }();
  runtime other{{.workers = 1}};
  EXPECT_EQ(sync_wait(other, std::move(kept)), 3);
}

// -- Stacks: a thread with a small one is the only worker ----------------------------------------

/// Calls `f` on a thread whose stack would not do for a thousandth of the depths below.
template <typename F>
void on_a_small_stack(const F& f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{512} << 10), 0);
  const std::function<void()> call = f;
  pthread_t thread{};
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* c) -> void* {
                  (*static_cast<const std::function<void()>*>(c))();
                  return nullptr;
                },
                const_cast<std::function<void()>*>(&call)),
            0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

const int deep = 1'000'000 / sanitizer_slowness;

evencube::task<long> chain(int n) {
  if (n == 0) co_return 0;
  co_return 1 + co_await chain(n - 1);
}
evencube::task<long> failing_chain(int n) {
  if (n == 0) throw failure_of_test{0};
  co_return 1 + co_await failing_chain(n - 1);
}
/// Each link awaits several.
evencube::task<long> chain_of_all(int n) {
  if (n == 0) co_return 0;
  const auto [below, one] = co_await when_all(chain_of_all(n - 1), give(1));
  co_return below + one;
}

TEST(coroutine_stack, does_not_grow_with_awaits_in_a_loop) {
  runtime rt{{.workers = 1}};
  const deadline limit{rt, std::chrono::seconds{120}};
  const auto loop = [](runtime& on) -> evencube::task<long> {
    long sum = 0;
    for (int i = 0; i < deep; ++i) {
      sum += co_await give(1);
      if (i % 100 == 0) sum += co_await on.async([] { return 0; });
      if (i % 100 == 1) co_await on.schedule();
      if (i % 100 == 2) sum += co_await make_ready_future(0);
    }
    co_return sum;
  };
  on_a_small_stack([&] { EXPECT_EQ(sync_wait(rt, loop(rt)), deep); });
}

TEST(coroutine_stack, does_not_grow_with_the_depth_of_awaits) {
  runtime rt{{.workers = 1}};
  const deadline limit{rt, std::chrono::seconds{120}};
  on_a_small_stack([&] {
    EXPECT_EQ(sync_wait(rt, chain(deep)), deep);
    EXPECT_EQ(sync_wait(rt, chain_of_all(deep / 10)), deep / 10);
  });
}

TEST(coroutine_stack, does_not_grow_with_an_exception_through_many) {
  runtime rt{{.workers = 1}};
  const deadline limit{rt, std::chrono::seconds{120}};
  on_a_small_stack([&] { EXPECT_THROW(sync_wait(rt, failing_chain(deep / 10)), failure_of_test); });
}

/// A future that is awaited needs a chain of others.
TEST(coroutine_stack, does_not_grow_with_the_depth_of_started_ones) {
  runtime rt{{.workers = 1}};
  const deadline limit{rt, std::chrono::seconds{120}};
  struct link {
    static evencube::task<long> of(runtime& on, int n) {
      if (n == 0) co_return 0;
      co_return 1 + co_await start(on, of(on, n - 1));
    }
  };
  on_a_small_stack([&] { EXPECT_EQ(sync_wait(rt, link::of(rt, deep / 10)), deep / 10); });
}

INSTANTIATE_TEST_SUITE_P(on, coroutine_tasks, coroutine_workers(), name_of_workers);

}  // namespace
}  // namespace evencube::test::coroutine_task_test
