#include "sweep.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "runner.hpp"
#include "watchdog.hpp"

namespace evencube::programs {

namespace {

using clock = std::chrono::steady_clock;

/// What a child tells while it runs, so that it is known when it has crashed.
struct shared_state {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<std::int64_t> done{0};
};

/// Memory that a child shares with its parent.
class shared_memory {
 public:
  shared_memory()
      : at_(::mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (at_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    ::new (at_) shared_state;
  }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  ~shared_memory() { ::munmap(at_, sizeof(shared_state)); }
  shared_state& operator*() const { return *static_cast<shared_state*>(at_); }

 private:
  void* at_;
};

/// A process that does `body` and then ends as a program does.
template <typename Body>
pid_t start_child(const Body& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    const int status = body();
    // No watchdog is there any more when runtimes of static storage end.
    ::alarm(static_cast<unsigned>(60 * slowness()));
    std::exit(status);
  }
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The first of `children` that ends, and is waited for by nobody yet.
pid_t first_to_end(const std::vector<pid_t>& children) {
  siginfo_t ended;
  do {
    ended.si_pid = 0;
    while (::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
  } while (std::ranges::find(children, ended.si_pid) == children.end());
  return ended.si_pid;
}

int sweep_at(unsigned workers, const sweep_options& options, shared_state& state) {
  runner all(options.patience.count() > 0 ? options.patience : usual_patience(),
             options.mistake_at);
  const auto end = clock::now() + options.time;
  for (std::int64_t i = 0; i < options.programs; ++i) {
    if (options.time.count() > 0 && clock::now() > end) break;
    const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(i);
    state.seed = seed;
    if (!all.run(generate(seed, workers, options.with))) return wrong;
    ++state.done;
  }
  return 0;
}

}  // namespace

// Programs wait more than they work, so all numbers of workers are tried at once.
sweep_result sweep(const sweep_options& options) {
  const std::size_t counts = options.workers.size();
  const std::vector<shared_memory> shared(counts);
  std::vector<pid_t> running;
  for (std::size_t k = 0; k < counts; ++k) {
    running.push_back(
        start_child([&] { return sweep_at(options.workers[k], options, *shared[k]); }));
  }
  sweep_result result;
  for (std::size_t ended = 0; ended < counts; ++ended) {
    const pid_t child = first_to_end(running);
    const auto k = static_cast<std::size_t>(std::ranges::find(running, child) - running.begin());
    const int status = status_of(child);
    running[k] = 0;
    result.programs += (*shared[k]).done;
    if (status == 0 || result.failed) continue;
    result.failed = finding{(*shared[k]).seed, options.workers[k], status};
    for (const pid_t other : running) {
      if (other != 0) ::kill(other, SIGKILL);
    }
  }
  return result;
}

int run_repeatedly(const program& p, std::int64_t runs, std::chrono::milliseconds time,
                   std::chrono::milliseconds patience, bool silent) {
  return status_of(start_child([&] {
    if (silent) {
      const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      ::dup2(nowhere, STDERR_FILENO);
    }
    runner again(patience.count() > 0 ? patience : usual_patience(), {});
    const auto end = clock::now() + time;
    for (std::int64_t i = 0; i < runs && clock::now() < end; ++i) {
      if (!again.run(p)) return wrong;
    }
    return 0;
  }));
}

}  // namespace evencube::programs
