// What a future can do in addition to `get`: be empty, be waited for with a limit, be continued, be
// ready from the beginning, be joined with others. A wait reaches all needed tasks that have not
// begun, with one worker as with many.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <latch>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::future_test {
namespace {

using namespace std::chrono_literals;

class futures : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_, std::chrono::seconds{60}};
};

// -- Life ----------------------------------------------------------------------------------------

TEST_P(futures, are_nothing_by_default) {
  future<int> f;
  EXPECT_FALSE(f.valid());
  EXPECT_THROW(static_cast<void>(f.ready()), error);
  EXPECT_THROW(f.wait(), error);
  EXPECT_THROW(static_cast<void>(f.wait_for(1ms)), error);
  EXPECT_THROW(f.get(), error);
  EXPECT_THROW(static_cast<void>(f.then([](int) {})), error);
  EXPECT_THROW(static_cast<void>(when_all(std::move(f))), error);
  f = rt_.async([] { return 4; });
  EXPECT_TRUE(f.valid());
  EXPECT_EQ(f.get(), 4);
  EXPECT_FALSE(f.valid());
}

TEST_P(futures, wait_no_longer_than_they_may) {
  std::atomic<bool> go{false};
  std::latch begun(1);
  const auto f = rt_.async([&] {
    begun.count_down();
    while (!go) std::this_thread::yield();
  });
  begun.wait();
  EXPECT_EQ(f.wait_for(1ms), future_status::timeout);
  EXPECT_EQ(f.wait_for(-1ms), future_status::timeout);
  EXPECT_EQ(f.wait_until(std::chrono::steady_clock::now() + 1ms), future_status::timeout);
  EXPECT_EQ(f.wait_until(std::chrono::system_clock::now() + 1ms), future_status::timeout);
  EXPECT_EQ(f.wait_until(std::chrono::system_clock::now() - 1h), future_status::timeout);
  // The distance to these times is too large for a number.
  using coarse_time = std::chrono::time_point<std::chrono::system_clock, std::chrono::hours>;
  EXPECT_EQ(f.wait_until(std::chrono::system_clock::time_point::min()), future_status::timeout);
  EXPECT_EQ(f.wait_until(std::chrono::steady_clock::time_point::min()), future_status::timeout);
  EXPECT_EQ(f.wait_until(coarse_time::min()), future_status::timeout);
  EXPECT_FALSE(f.ready());
  go = true;
  EXPECT_EQ(f.wait_until(coarse_time::max()), future_status::ready);
  EXPECT_EQ(f.wait_until(std::chrono::system_clock::time_point::max()), future_status::ready);
  EXPECT_EQ(f.wait_for(std::chrono::hours::max()), future_status::ready);
  EXPECT_EQ(f.wait_for(0ns), future_status::ready);
}

TEST_P(futures, are_run_by_waits_with_a_limit) {
  rt_.run([&] {
    const auto one = rt_.async([] { return 1; });
    EXPECT_EQ(one.wait_for(1h), future_status::ready);
    auto all = when_all(rt_.async([] { return 2; }), rt_.async([] { return 3; }));
    EXPECT_EQ(all.wait_for(1h), future_status::ready);
    auto [two, three] = all.get();
    EXPECT_EQ(two.get() + three.get(), 5);
    const auto any = when_any(rt_.async([] {}).then([] { return 4; }));
    EXPECT_EQ(any.wait_for(1h), future_status::ready);
  });
}

TEST_P(futures, time_out_within_a_task_while_another_one_runs) {
  if (GetParam() == 1) return;
  std::atomic<bool> go{false};
  std::latch begun(1);
  auto f = rt_.async([&] {
    begun.count_down();
    while (!go) std::this_thread::yield();
    return 1;
  });
  begun.wait();
  rt_.run([&] {
    EXPECT_EQ(f.wait_for(2ms), future_status::timeout);
    auto next = f.then([](int i) { return i + 1; });
    EXPECT_EQ(next.wait_for(2ms), future_status::timeout);
    auto any = when_any(std::move(next));
    EXPECT_EQ(any.wait_for(2ms), future_status::timeout);
    go = true;
    EXPECT_EQ(std::get<0>(any.get().futures).get(), 2);
  });
}

// -- Continuations -------------------------------------------------------------------------------

TEST_P(futures, are_continued_with_their_values) {
  EXPECT_EQ(rt_.async([] { return 20; }).then([](int i) { return i + 1; }).get(), 21);
  EXPECT_EQ(rt_.async([] {}).then([] { return 7; }).get(), 7);
  EXPECT_EQ(*rt_.async([] { return std::make_unique<int>(3); })
                 .then([](std::unique_ptr<int> p) { return p; })
                 .get(),
            3);
  int number = 1;
  rt_.async([&]() -> int& { return number; })
      .then([&](int& i) {
        EXPECT_EQ(&i, &number);
        EXPECT_EQ(this_task::runtime(), &rt_);
      })
      .get();
  auto spent = rt_.async([] { return 1; });
  auto next = spent.then([](int i) { return i; }, {.cost = 3, .home = GetParam() - 1});
  EXPECT_FALSE(spent.valid());
  EXPECT_EQ(next.get(), 1);
}

TEST_P(futures, pass_exceptions_by_the_functions) {
  std::atomic<bool> called{false};
  const auto witness = std::make_shared<int>(0);
  auto f = rt_.async([]() -> int { throw std::runtime_error("first"); })
               .then([&called, witness](int i) {
                 called = true;
                 return i;
               })
               .then([&called](int) { called = true; });
  EXPECT_THROW(f.get(), std::runtime_error);
  EXPECT_FALSE(called);
  EXPECT_EQ(witness.use_count(), 1);
  auto g = rt_.async([] { return 1; }).then([](int) -> int { throw std::logic_error("second"); });
  EXPECT_THROW(g.get(), std::logic_error);
}

TEST_P(futures, refuse_options_and_stay_as_they_were) {
  auto f = rt_.async([] { return 1; });
  EXPECT_THROW(static_cast<void>(f.then([](int) {}, {.cost = 0})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(f.then([](int) {}, {.home = 1000})), std::invalid_argument);
  EXPECT_EQ(f.get(), 1);
}

/// A value that counts its objects.
struct counted {
  static inline std::atomic<int> alive{0};
  int value = 0;
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted& operator=(counted&&) = delete;
  ~counted() { --alive; }
};

TEST_P(futures, keep_nothing_of_a_chain_that_ran) {
  counted::alive = 0;
  for (int n = test::repetitions(200); n > 0; --n) {
    std::atomic<bool> go{false};
    auto f = rt_.async([&] {
      while (!go) std::this_thread::yield();
      return counted(0);
    });
    if (n % 2 == 0) go = true;
    for (int i = 0; i < 10; ++i) {
      f = f.then([](counted c) { return counted(c.value + 1); });
    }
    go = true;
    if (n % 3 == 0) {
      EXPECT_EQ(f.get().value, 10);
    } else if (n % 3 == 1) {
      rt_.run([&] { EXPECT_EQ(f.get().value, 10); });
    } else {
      f.wait();
      f = {};
    }
    // The slot through which a task ran may be the last to hold it.
    while (counted::alive != 0) std::this_thread::yield();
    deadline_.renew();
  }
}

/// Fewer under a sanitizer, where a million tasks take long.
const int long_chain = test::sanitizer_slowness == 1 ? 1'000'000 : 50'000;

TEST_P(futures, make_chains_of_any_length_that_workers_run) {
  std::atomic<bool> go{false};
  auto f = rt_.async([&] {
    while (!go) std::this_thread::yield();
    return 0;
  });
  for (int i = 0; i < long_chain; ++i) f = f.then([](int k) { return k + 1; });
  go = true;
  EXPECT_EQ(f.get(), long_chain);
}

TEST_P(futures, make_chains_of_any_length_that_a_waiter_runs) {
  rt_.run([&] {
    auto f = rt_.async([] { return 0; });
    for (int i = 0; i < long_chain; ++i) f = f.then([](int k) { return k + 1; });
    EXPECT_EQ(f.get(), long_chain);
  });
}

TEST_P(futures, make_chains_of_any_length_that_are_dropped) {
  std::atomic<int> ran{0};
  std::atomic<bool> go{false};
  {
    runtime rt({.workers = GetParam()});
    auto f = rt.async([&] {
      while (!go) std::this_thread::yield();
    });
    for (int i = 0; i < long_chain; ++i) f = f.then([&] { ++ran; });
    f = {};
    go = true;
  }
  EXPECT_EQ(ran, long_chain);
}

TEST_P(futures, make_a_chain_while_it_runs) {
  rt_.run([&] {
    auto f = rt_.async([] { return 0; });
    for (int i = 0; i < long_chain / 10; ++i) {
      f = f.then([](int k) { return k + 1; });
      if (i % 97 == 0) f.wait();
    }
    EXPECT_EQ(f.get(), long_chain / 10);
  });
}

// -- Ready ones, and those whose runtime is gone --------------------------------------------------

TEST_P(futures, may_be_ready_from_the_beginning) {
  auto f = make_ready_future(5);
  EXPECT_TRUE(f.ready());
  f.wait();
  EXPECT_EQ(f.wait_for(0ns), future_status::ready);
  EXPECT_THROW(static_cast<void>(f.then([](int) {})), error);  // there is no runtime to continue in
  EXPECT_EQ(rt_.run([&] { return f.then([](int i) { return i + 1; }).get(); }), 6);
  EXPECT_EQ(make_ready_future(rt_, 7).then([](int i) { return i + 1; }).get(), 8);
  make_ready_future(rt_).then([] {}).get();
  make_ready_future().get();
  EXPECT_EQ(*make_ready_future(std::make_unique<int>(9)).get(), 9);
}

TEST_P(futures, cannot_be_continued_without_their_runtime) {
  auto f = [&] {
    runtime rt({.workers = GetParam()});
    return rt.async([] { return 1; });
  }();
  EXPECT_THROW(static_cast<void>(f.then([](int) {})), error);
  rt_.run([&] { EXPECT_THROW(static_cast<void>(f.then([](int) {})), error); });
  EXPECT_EQ(f.get(), 1);
}

TEST_P(futures, are_continued_while_their_runtime_ends_or_refuse) {
  int continued = 0;
  for (int n = test::repetitions(100); n > 0; --n) {
    auto rt = std::make_unique<runtime>(runtime_options{.workers = GetParam()});
    auto f = rt->async([] { return 1; });
    f.wait();
    std::latch both(2);
    std::jthread ender([&] {
      both.arrive_and_wait();
      rt.reset();
    });
    both.arrive_and_wait();
    try {
      auto next = f.then([](int i) { return i + 1; });
      EXPECT_EQ(next.get(), 2);
      ++continued;
    } catch (const error&) {
      EXPECT_EQ(f.get(), 1);
    }
    ender.join();
    deadline_.renew();
  }
  RecordProperty("continued", continued);
}

// -- Several -------------------------------------------------------------------------------------

TEST_P(futures, are_awaited_together) {
  EXPECT_TRUE(when_all().ready());
  EXPECT_TRUE(when_all(std::vector<future<int>>()).ready());
  EXPECT_THROW(static_cast<void>(when_any(std::vector<future<int>>())), std::invalid_argument);
  const auto scene = [&] {
    auto [one, text, nothing] =
        when_all(rt_.async([] { return 1; }), rt_.async([] { return std::string("two"); }),
                 rt_.async([] { throw std::runtime_error("three"); }))
            .get();
    EXPECT_EQ(one.get(), 1);
    EXPECT_EQ(text.get(), "two");
    EXPECT_THROW(nothing.get(), std::runtime_error);

    std::vector<future<int>> many;
    for (int i = 0; i < 1000; ++i) {
      many.push_back(i % 3 == 0 ? make_ready_future(i) : rt_.async([i] { return i; }));
    }
    const int sum = when_all(std::move(many))
                        .then([](std::vector<future<int>> all) {
                          int added = 0;
                          for (auto& f : all) {
                            EXPECT_TRUE(f.ready());
                            added += f.get();
                          }
                          return added;
                        })
                        .get();
    EXPECT_EQ(sum, 999 * 500);
  };
  scene();
  rt_.run(scene);
}

TEST_P(futures, are_awaited_until_the_first_is_ready) {
  const auto scene = [&] {
    std::atomic<bool> begun{false};
    std::atomic<bool> go{false};
    std::vector<future<int>> many;
    if (GetParam() > 1) {
      many.push_back(rt_.async([&] {
        begun = true;
        while (!go) std::this_thread::yield();
        return 0;
      }));
      // Otherwise this thread could begin the task itself, and never come back.
      while (!begun) std::this_thread::yield();
    }
    if (GetParam() == 1) go = true;
    many.push_back(rt_.async([] { return 1; }).then([](int i) { return i + 1; }));
    when_any_result<std::vector<future<int>>> first = when_any(std::move(many)).get();
    EXPECT_TRUE(first.futures[first.index].ready());
    go = true;
    // The other futures are as usable as before.
    int sum = 0;
    for (auto& f : first.futures) sum += f.then([](int i) { return i; }).get();
    EXPECT_EQ(sum, 2);
  };
  scene();
}

TEST_P(futures, name_the_first_of_a_few) {
  auto first =
      when_any(make_ready_future(rt_, 1), rt_.async([] { return std::string("x"); })).get();
  EXPECT_EQ(first.index, 0U);
  EXPECT_EQ(std::get<0>(first.futures).get(), 1);
  EXPECT_EQ(std::get<1>(first.futures).get(), "x");
}

struct parcel {
  int weight;
  [[nodiscard]] int doubled() const { return 2 * weight; }
};

TEST_P(futures, are_continued_by_a_pointer_to_a_member) {
  EXPECT_EQ(rt_.async([] { return parcel{4}; }).then(&parcel::doubled).get(), 8);
  EXPECT_EQ(rt_.async([] { return parcel{4}; })
                .then([](const parcel& p) { return p; })
                .then(&parcel::doubled)
                .then([](int i) { return i + 1; })
                .get(),
            9);
}

// The tasks that lose go on until they are stopped, so the result shows that the stop was requested
// and that all have ended.
TEST_P(futures, stop_the_others_when_one_is_ready) {
  const auto race = [&](const std::stop_source& others, auto&&... winners) {
    const auto token = others.get_token();
    const auto loses = [token] {
      while (!token.stop_requested()) std::this_thread::yield();
      return 0;
    };
    std::vector<future<int>> many;
    (many.push_back(std::move(winners)), ...);
    for (int i = 0; i < 3; ++i) many.push_back(rt_.async(loses));
    return when_any(others, std::move(many));
  };
  for (int repetition = 0; repetition < 20; ++repetition) {
    const auto all_are_ready = [](auto& result) {
      for (const auto& f : result.futures) EXPECT_TRUE(f.ready());
    };
    std::stop_source others;
    auto first = race(others, make_ready_future(rt_, 7)).get();
    EXPECT_TRUE(others.stop_requested());
    EXPECT_EQ(first.index, 0U);
    all_are_ready(first);
    EXPECT_EQ(first.futures[0].get(), 7);
    // An exception also decides.
    auto fails = rt_.async([]() -> int { throw std::runtime_error("on purpose"); });
    fails.wait();
    first = rt_.run([&] { return race(std::stop_source(), std::move(fails)).get(); });
    EXPECT_THROW(first.futures[0].get(), std::runtime_error);
  }
  const std::stop_source others;
  auto few = when_any(others, make_ready_future(rt_, 1), rt_.async([others] {
               while (!others.stop_requested()) std::this_thread::yield();
               return std::string("stopped");
             })).get();
  EXPECT_EQ(few.index, 0U);
  EXPECT_EQ(std::get<1>(few.futures).get(), "stopped");
  EXPECT_THROW(static_cast<void>(when_any(others, std::vector<future<int>>())),
               std::invalid_argument);
}

TEST_P(futures, of_two_runtimes_do_not_go_together) {
  runtime other({.workers = 1});
  auto mine = rt_.async([] { return 1; });
  auto its = other.async([] { return 2; });
  // NOLINTBEGIN(bugprone-use-after-move): a refused future stays as it was
  EXPECT_THROW(static_cast<void>(when_all(std::move(mine), std::move(its))), error);
  EXPECT_THROW(static_cast<void>(when_any(std::move(mine), std::move(its))), error);
  EXPECT_EQ(mine.get() + its.get(), 3);
  // NOLINTEND(bugprone-use-after-move)
  // Tasks of another runtime can still wait for them.
  EXPECT_EQ(other.run([&] {
    return rt_.async([] { return 1; }).then([](int i) { return i + 1; }).get();
  }),
            2);
}

// -- Progress: with one worker no other worker could run the awaited tasks ------------------------

TEST_P(futures, are_reached_through_trees_of_one_another) {
  for (int n = test::repetitions(200); n > 0; --n) {
    const auto scene = [&] {
      std::vector<future<int>> leaves;
      for (int i = 0; i < 20; ++i) {
        leaves.push_back(rt_.async([i] { return i; }).then([](int k) { return k + 1; }));
      }
      std::vector<future<int>> sums;
      while (leaves.size() >= 2) {
        auto right = std::move(leaves.back());
        leaves.pop_back();
        auto left = std::move(leaves.back());
        leaves.pop_back();
        sums.push_back(when_all(std::move(left), std::move(right)).then([](auto both) {
          return std::get<0>(both).get() + std::get<1>(both).get();
        }));
      }
      std::vector<future<int>> anys;
      for (auto& sum : sums) {
        anys.push_back(when_any(std::move(sum), make_ready_future(0)).then([](auto any) {
          return std::get<0>(any.futures).get();  // a wait within a continuation
        }));
      }
      return when_all(std::move(anys))
          .then([](std::vector<future<int>> all) {
            int sum = 0;
            for (auto& f : all) sum += f.get();
            return sum;
          })
          .get();
    };
    ASSERT_EQ(n % 2 == 0 ? scene() : rt_.run(scene), 210);
    deadline_.renew();
  }
}

TEST_P(futures, are_reached_by_waits_for_any) {
  for (int n = test::repetitions(300); n > 0; --n) {
    rt_.run([&] {
      // Only one of them ends before this task does; the others' needs are released step by step.
      std::atomic<bool> go{false};
      std::latch begun(1);
      std::vector<future<int>> several;
      if (GetParam() > 1) {
        several.push_back(rt_.async(
            [&] {
              begun.count_down();
              while (!go) std::this_thread::yield();
              return 0;
            },
            {.home = this_worker() == 1 ? 0 : 1}));
        begun.wait();
      }
      auto chain = rt_.async([] { return 0; });
      for (int i = 0; i < 20; ++i) chain = chain.then([](int k) { return k + 1; });
      several.push_back(std::move(chain));
      auto first = when_any(std::move(several)).get();
      EXPECT_EQ(first.futures[first.index].get(), 20);
      go = true;
      for (auto& f : first.futures) {
        if (f.valid()) f.wait();
      }
    });
    deadline_.renew();
  }
}

// Every worker waits for a chain whose first task another worker holds.
TEST_P(futures, are_reached_while_all_workers_wait) {
  for (int n = test::repetitions(100); n > 0; --n) {
    task_group group(rt_);
    std::atomic<int> ended{0};
    for (unsigned w = 0; w < 2 * GetParam(); ++w) {
      group.spawn([&] {
        std::vector<future<int>> mine;
        for (int i = 0; i < 5; ++i) {
          mine.push_back(rt_.async([&] {
                              task_group inner;
                              for (int k = 0; k < 3; ++k) inner.spawn([] {});
                              inner.wait();
                              return 1;
                            })
                             .then([](int k) { return k + 1; }));
        }
        auto any = when_any(std::move(mine)).then([](auto first) {
          return when_all(std::move(first.futures));
        });
        auto all = any.get();
        for (auto& f : all.get()) ended += f.get();
      });
    }
    group.wait();
    ASSERT_EQ(ended, static_cast<int>(2 * GetParam()) * 10);
    deadline_.renew();
  }
}

// -- Recordings and balancing --------------------------------------------------------------------

TEST_P(futures, are_recorded_with_what_continues_them) {
  rt_.start_recording();
  rt_.run([&] {
    auto f = rt_.async([] { return 1; });
    for (int i = 0; i < 50; ++i) f = f.then([](int k) { return k + 1; });
    EXPECT_EQ(f.get(), 51);
  });
  const recording made = rt_.stop_recording();
  EXPECT_GE(made.tasks.size(), 51U);
}

INSTANTIATE_TEST_SUITE_P(workers, futures, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::future_test
