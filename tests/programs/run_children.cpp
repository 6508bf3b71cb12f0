#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>

#include "execution.hpp"
#include "watchdog.hpp"

namespace evencube::programs {

namespace {

// The thread sanitizer knows no threads of a child whose parent had several.
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

constexpr int all_well = 7;

bool works_on_its_own() {
  if (!may_have_threads) return true;
  runtime own(runtime_options{.workers = 2});
  const int forked = own.run([] { return fork_join([] { return 1; }, [] { return 2; }).second; });
  return forked == 2 && own.async([] { return 3; }).get() == 3;
}

/// Whether a child may end by std::exit: the leak sanitizer would look at what its parent has.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool may_exit = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool may_exit = false;
#else
constexpr bool may_exit = may_have_threads;
#endif
#else
constexpr bool may_exit = may_have_threads;
#endif

[[noreturn]] void exit_after(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{microseconds};
  while (std::chrono::steady_clock::now() < end) {
  }
  std::exit(all_well);
}

/// Calls std::exit, which destroys the runtime while it is at work.
[[noreturn]] void exit_at_work(const step& s) {
  static runtime own(runtime_options{.workers = 3});
  static std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i) {
    static_cast<void>(own.async([] { return ran.fetch_add(1, std::memory_order_relaxed); }));
  }
  switch (s.grain) {
    case in_a_task:
      own.async([&s]() -> int { exit_after(s.amount); }).wait();
      break;
    case in_a_scope:
      own.async([&s]() -> int {
           blocking([&s] { exit_after(s.amount); });
           return 0;
         })
          .wait();
      break;
    case in_a_fork:
      own.run([&s] {
        return fork_join([] { return 1; }, [&s]() -> int { exit_after(s.amount); }).first;
      });
      break;
    default:
      exit_after(s.amount);
  }
  ::_exit(1);
}

}  // namespace

// In the child there is no other thread, and whoever had a lock stayed in the parent.
template <typename Body>
void execution::in_a_child(const char* what, const Body& body) {
  const pid_t child = ::fork();
  if (child < 0) return;  // as many processes as the system allows
  if (child == 0) {
    ::alarm(static_cast<unsigned>(15 * slowness()));
    bool good = false;
    try {
      good = body();
    } catch (...) {
    }
    ::_exit(good ? all_well : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == all_well) return;
  fail(std::string("a forked child could not ") + what + ": " +
       (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                            : "status " + std::to_string(WEXITSTATUS(status))));
}

void execution::fork_a_child() {
  in_a_child("use a runtime of its own", [] { return works_on_its_own(); });
}

void execution::exit_in_a_child(const step& s) {
  if (!may_exit) return;
  in_a_child("end by std::exit", [&s]() -> bool {
    ::close(STDOUT_FILENO);  // what the parent has not written yet is not to be written twice
    exit_at_work(s);
  });
}

}  // namespace evencube::programs
