// A forked child has none of its parent's threads: calls throw, destructors return, and nothing
// hangs or ends the program.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <evencube/live_sampler.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "repetitions.hpp"
#include "threads_of_process.hpp"

namespace evencube {
namespace {

constexpr int all_well = 7;
constexpr unsigned patience = 60;  // seconds until a child that hangs is ended

/// The status of a child that runs `body`: its exit code, or 128 + the signal that ended it.
template <typename Body>
int status_of_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(patience);
    bool good = false;
    try {
      good = body();
    } catch (...) {
    }
    ::_exit(good ? all_well : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

template <typename Call>
bool refused(Call&& call) {
  try {
    call();
  } catch (const error&) {
    return true;
  }
  return false;
}

class forked_child : public testing::TestWithParam<unsigned> {};

TEST_P(forked_child, is_refused_everything_but_the_end) {
  auto rt = std::make_unique<runtime>(runtime_options{.workers = GetParam()});
  auto group = std::make_unique<task_group>(*rt);
  group->spawn([] {});
  group->wait();
  EXPECT_EQ(status_of_child([&] {
              const bool all =
                  refused([&] { rt->run([] {}); }) && refused([&] { rt->async([] {}); }) &&
                  refused([&] { static_cast<void>(rt->hold()); }) &&
                  refused([&] { rt->balance(); }) && refused([&] { rt->use_balancer("dem"); }) &&
                  refused([&] { rt->start_recording(); }) &&
                  refused([&] { group->spawn([] {}); }) && refused([&] { group->wait(); });
              group.reset();
              rt.reset();
              return all;
            }),
            all_well);
}

task<int> gives_one() { co_return 1; }

TEST_P(forked_child, of_a_task_is_refused_coroutines) {
  runtime rt({.workers = GetParam()});
  rt.run([&] {
    EXPECT_EQ(status_of_child([&] {
                return refused([] { static_cast<void>(sync_wait(gives_one())); }) &&
                       refused([&] { static_cast<void>(start(rt, gives_one())); });
              }),
              all_well);
  });
}

TEST_P(forked_child, of_a_task_does_not_wait_for_what_runs_in_the_parent) {
  runtime rt({.workers = GetParam()});
  rt.run([&] {
    std::atomic<bool> begun{false};
    std::atomic<bool> go{false};
    task_group group;
    if (rt.workers() > 1) {
      group.spawn(
          [&] {
            begun = true;
            while (!go) std::this_thread::yield();
          },
          {.home = 1});
      while (!begun) std::this_thread::yield();
    } else {
      group.spawn([] {});
    }
    EXPECT_EQ(status_of_child([&] { return refused([&] { group.wait(); }); }), all_well);
    go = true;
    group.wait();
  });
}

// The tasks run in the parent; the child makes no thread that would run them once more.
TEST_P(forked_child, of_a_caller_leaves_to_its_parent_what_is_queued) {
  runtime rt({.workers = GetParam()});
  task_group group(rt);
  pid_t child = -1;
  std::size_t threads = 0;
  rt.run([&] {
    group.spawn([] {});
    child = ::fork();
    if (child == 0) threads = test::threads_of_process();
  });
  if (child == 0) ::_exit(test::threads_of_process() == threads ? all_well : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), all_well);
  group.wait();
}

/// Collects the texts that processes write into it until they have ended.
class pipe_of_child {
 public:
  pipe_of_child() { EXPECT_EQ(::pipe(ends_), 0); }
  pipe_of_child(const pipe_of_child&) = delete;
  pipe_of_child& operator=(const pipe_of_child&) = delete;
  ~pipe_of_child() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void replace(int descriptor) const { ::dup2(ends_[1], descriptor); }
  void write_one() const { EXPECT_EQ(::write(ends_[1], "1", 1), 1); }
  [[nodiscard]] std::string text() const {
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    char got[512];
    const ssize_t length = ::read(ends_[0], got, sizeof got);
    return {got, length < 0 ? 0 : static_cast<std::size_t>(length)};
  }

 private:
  int ends_[2] = {-1, -1};
};

// The child has nothing to return to, and the queued tasks are the parent's to run.
TEST_P(forked_child, of_a_task_that_is_not_the_callers_ends_with_it) {
  runtime rt({.workers = GetParam(), .spare_workers = 1});
  for (const bool fails : {false, true}) {
    for (const bool within_a_wait : {false, true}) {
      const pipe_of_child told;
      const pipe_of_child ran;
      pid_t child = -1;
      const auto forks = [&] {
        child = ::fork();
        if (child != 0) return true;
        ::alarm(patience);
        told.replace(STDERR_FILENO);
        if (fails) throw 1;
        return false;
      };
      rt.async([&] {
          task_group group;
          group.spawn([&] { ran.write_one(); });
          if (within_a_wait) {
            group.spawn([&] { forks(); });
          } else if (!forks()) {
            return;
          }
          group.wait();
        }).get();
      int status = 0;
      ::waitpid(child, &status, 0);
      EXPECT_TRUE(WIFEXITED(status));
      EXPECT_EQ(WEXITSTATUS(status), EXIT_FAILURE);
      EXPECT_NE(told.text().find("forked child"), std::string::npos);
      EXPECT_EQ(ran.text(), "1");
    }
  }
}

/// A half or an iteration that another worker runs when the child is forked, and that ends after
/// the fork.
class under_way {
 public:
  void run() {
    begun_ = true;
    while (!go_) std::this_thread::yield();
  }
  /// In the parent, returns once the child has ended.
  pid_t fork_meanwhile() {
    while (!begun_) std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(patience);
      return child;
    }
    ::waitpid(child, &status_, 0);
    go_ = true;
    return child;
  }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] int status() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1; }

 private:
  std::atomic<bool> begun_{false};
  std::atomic<bool> go_{false};
  int status_ = 0;
};

// A half that another worker has begun ends in the parent only.
TEST_P(forked_child, of_half_a_fork_does_not_wait_for_the_other) {
  if (GetParam() == 1) GTEST_SKIP() << "needs a worker that takes the other half";
  runtime rt({.workers = GetParam()});
  rt.run([&] {
    for (const bool fails : {false, true}) {
      under_way other;
      pid_t child = -1;
      bool ended = false;
      try {
        fork_join(
            [&] {
              child = other.fork_meanwhile();
              if (child == 0 && fails) throw 1;
            },
            [&] { other.run(); });
      } catch (const error&) {
        ended = !fails;
      } catch (int) {
        ended = fails;
      }
      if (child == 0) ::_exit(ended ? all_well : 2);
      EXPECT_EQ(other.status(), all_well);
    }
  });
}

TEST_P(forked_child, of_a_loop_does_not_wait_for_what_it_has_given_away) {
  if (GetParam() == 1) GTEST_SKIP() << "needs a worker that takes a piece";
  runtime rt({.workers = GetParam()});
  rt.run([&] {
    under_way other;
    pid_t child = -1;
    bool ended = false;
    const unsigned here = this_worker();
    const auto body = [&](int) {
      if (this_worker() != here) {
        other.run();
      } else if (child == -1) {
        // Pieces are given away between iterations.
        if (other.begun()) child = other.fork_meanwhile();
        std::this_thread::yield();
      }
      return 1;
    };
    try {
      static_cast<void>(parallel_reduce(0, 1 << 24, 0, body, std::plus<>{}));
    } catch (const error&) {
      ended = true;
    }
    if (child == 0) ::_exit(ended ? all_well : 2);
    EXPECT_EQ(other.status(), all_well);
  });
}

// A holder in the parent that waits for the worker to stop could release nobody in the child.
TEST_P(forked_child, of_a_task_does_not_stand_still_for_a_holder) {
  runtime rt({.workers = GetParam()});
  std::thread holder;
  rt.run([&] {
    holder = std::thread([&] { const auto held = rt.hold(); });
    // With both signals, the next fork would stop for the holder.
    detail::worker& here = *detail::current_worker;
    while ((here.bell().bits() & detail::signal_hold) == 0 || !here.queue().wanted()) {
      std::this_thread::yield();
    }
    EXPECT_EQ(status_of_child([&] {
                int sum = 0;
                for (int i = 0; i < 100; ++i) fork_join([&] { ++sum; }, [&] { ++sum; });
                return sum == 200;
              }),
              all_well);
  });
  holder.join();
}

// The thread that held a lock or a place stayed in the parent: the child's scope just ends.
TEST_P(forked_child, made_while_a_task_blocks_comes_back_from_it) {
  runtime rt({.workers = GetParam(), .spare_workers = 1});
  rt.run([&] {
    EXPECT_EQ(status_of_child(
                  [&] { return blocking([&] { return refused([&] { rt.async([] {}); }); }); }),
              all_well);
    int status = 0;
    blocking([&] { status = status_of_child([&] { return refused([&] { rt.async([] {}); }); }); });
    EXPECT_EQ(status, all_well);
    blocking([&] {
      const pid_t child = ::fork();
      if (child == 0) ::alarm(patience);
      if (child != 0) ::waitpid(child, &status, 0);
      if (child == 0) status = -1;
    });
    if (status == -1) ::_exit(all_well);  // the child came out of the scope
    EXPECT_EQ(WEXITSTATUS(status), all_well);
  });
}

// Locks that threads of the parent held are never released in the child.
TEST_P(forked_child, blocks_without_the_engine) {
  runtime rt({.workers = GetParam(), .spare_workers = 1});
  rt.run([&] {
    EXPECT_EQ(status_of_child([&] {
                return blocking([&] {
                  return rt.describe().find("in blocking scopes 0") != std::string::npos;
                });
              }),
              all_well);
    EXPECT_NE(blocking([&] { return rt.describe(); }).find("in blocking scopes 1"),
              std::string::npos);
  });
}

/// Threads that do something again and again, so that a child is forked in the middle of it.
class busy_threads {
 public:
  busy_threads() = default;
  busy_threads(const busy_threads&) = delete;
  busy_threads& operator=(const busy_threads&) = delete;
  ~busy_threads() {
    stop_ = true;
    for (std::thread& t : all_) t.join();
  }
  void repeat(const std::function<void()>& what) {
    all_.emplace_back([this, what] {
      while (!stop_) what();
    });
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> all_;
};

// The thread sanitizer supports no threads in a child whose parent had several.
#if defined(__SANITIZE_THREAD__)
constexpr bool may_have_threads = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool may_have_threads = false;
#else
constexpr bool may_have_threads = true;
#endif
#else
constexpr bool may_have_threads = true;
#endif

bool works_on_its_own() {
  if (!may_have_threads) return true;
  runtime own({.workers = 2});
  return own.run([] { return fork_join([] { return 1; }, [] { return 2; }).first == 1; }) &&
         own.async([] { return 3; }).get() == 3;
}

// Makes enough runtimes to reach the number of any runtime that the parent has had, if the child
// began to count again.
bool works_on_many_of_its_own() {
  for (int i = 0; i < 64; ++i) {
    if (!works_on_its_own()) return false;
  }
  return true;
}

// In the child of a holder that forks, no worker is held.
TEST_P(forked_child, of_a_holder_is_refused_what_is_held) {
  runtime rt({.workers = GetParam()});
  auto held = std::make_unique<hold_guard>(rt);
  EXPECT_EQ(status_of_child([&] {
              const bool all = refused([&] { static_cast<void>(held->loads()); }) &&
                               refused([&] { held->balance(); }) &&
                               refused([&] { static_cast<void>(held->tasks()); });
              held.reset();
              return all;
            }),
            all_well);
  EXPECT_EQ(held->loads().size(), GetParam());
}

// The new runtime is none of the parent's: a wait for the new one is no wait for the held one.
TEST_P(forked_child, of_a_holder_makes_a_runtime_of_its_own) {
  runtime rt({.workers = GetParam()});
  const auto held = rt.hold();
  EXPECT_EQ(status_of_child(works_on_many_of_its_own), all_well);
}

TEST_P(forked_child, of_a_task_is_refused_futures_in_any_lane) {
  runtime rt({.workers = GetParam()});
  arena a(rt);
  rt.run([&] {
    EXPECT_EQ(status_of_child([&] {
                task_group group;
                const bool all = refused([&] { rt.async([] {}); }) &&
                                 refused([&] { a.async([] {}); }) &&
                                 refused([&] { rt.async([] {}, {.priority = priority::high}); }) &&
                                 refused([&] { group.spawn([] {}, {.priority = priority::low}); });
                return all;
              }),
              all_well);
  });
}

TEST_P(forked_child, of_a_task_makes_a_runtime_of_its_own) {
  runtime rt({.workers = GetParam()});
  busy_threads others;
  others.repeat([&rt] {
    task_group group(rt);
    for (int i = 0; i < 50; ++i) {
      group.spawn([] {}, {.priority = i % 2 != 0 ? priority::high : priority::normal});
    }
    group.wait();
  });
  for (int i = test::repetitions(20); i-- > 0;) {
    rt.run([] { ASSERT_EQ(status_of_child(works_on_many_of_its_own), all_well); });
    if (HasFatalFailure()) break;
  }
}

TEST_P(forked_child, makes_a_runtime_while_its_parent_makes_some) {
  busy_threads others;
  others.repeat([] { const runtime other({.workers = 2}); });
  for (int i = test::repetitions(200); i-- > 0;) {
    ASSERT_EQ(status_of_child(works_on_its_own), all_well);
  }
}

TEST_P(forked_child, makes_a_runtime_while_its_parent_changes_strategies) {
  runtime rt({.workers = GetParam()});
  busy_threads others;
  others.repeat([&rt] { rt.use_balancer("dem"); });
  for (int i = test::repetitions(200); i-- > 0;) {
    ASSERT_EQ(status_of_child(works_on_its_own), all_well);
  }
}

TEST_P(forked_child, is_refused_what_its_parent_counts) {
  runtime rt({.workers = GetParam()});
  live_sampler sampler(rt);
  busy_threads others;
  others.repeat([&] {
    static_cast<void>(rt.stats());
    static_cast<void>(sampler.sample());
  });
  for (int i = test::repetitions(20); i-- > 0;) {
    ASSERT_EQ(status_of_child([&] {
                return refused([&] { static_cast<void>(rt.stats()); }) &&
                       refused([&] { rt.reset_stats(); }) &&
                       refused([&] { static_cast<void>(sampler.sample()); });
              }),
              all_well);
  }
}

/// Runs this program again with that filter for its tests and at most three repetitions. Returns
/// its exit code, or 128 + the signal that ended it.
int status_of_program(const char* filter) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("EVENCUBE_REPETITIONS", "3", 1);
    ::unsetenv("GTEST_FILTER");
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    const std::string chosen = "--gtest_filter=" + std::string(filter);
    ::execl("/proc/self/exe", "regression_forked_child_test", chosen.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A process has only one chance to fork while a thread makes the objects that the process has once,
// at first use: the child would wait for that thread for ever.
TEST(forked_child_of_a_new_process, makes_the_first_runtime_beside_its_parents_first) {
  for (int i = test::repetitions(200); i-- > 0;) {
    ASSERT_EQ(status_of_program("*/forked_child.makes_a_runtime_while_its_parent_makes_some/2_*"),
              0);
  }
}

INSTANTIATE_TEST_SUITE_P(workers, forked_child, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube
