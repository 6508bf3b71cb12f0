// A forked child has none of its parent's threads: calls in throw, destructors return, and nothing
// hangs or ends the program.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <memory>
#include <string>
#include <thread>

namespace evencube {
namespace {

constexpr int all_well = 7;
constexpr unsigned patience = 10;  // seconds until a child that hangs is ended

/// What a child in which `body` runs leaves: its exit code, or 128 + the signal that ended it.
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

// Who held a lock or a place stayed in the parent: the child's scope just ends.
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

// Locks that threads of the parent held are never let go of in the child.
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

INSTANTIATE_TEST_SUITE_P(workers, forked_child, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube
