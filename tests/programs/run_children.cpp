#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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

}  // namespace

// In the child there is no other thread, and whoever had a lock stayed in the parent.
void execution::fork_a_child() {
  const pid_t child = ::fork();
  if (child < 0) return;  // as many processes as the system allows
  if (child == 0) {
    ::alarm(static_cast<unsigned>(15 * slowness()));
    bool good = false;
    try {
      good = works_on_its_own();
    } catch (...) {
    }
    ::_exit(good ? all_well : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == all_well) return;
  fail("a forked child could not use a runtime of its own: " +
       (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                            : "status " + std::to_string(WEXITSTATUS(status))));
}

}  // namespace evencube::programs
