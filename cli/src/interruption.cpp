#include "interruption.hpp"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <evencube/runtime.hpp>

#include <unistd.h>

#include <evencube/workloads/output_file.hpp>

namespace evencube::cli {
namespace {

constexpr std::array<int, 3> ending{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> received{0};
std::atomic<std::int64_t> received_at{0};  // milliseconds, 0: nothing was
static_assert(std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may touch nothing else");

/// `timeout`, and some who end a whole group of processes, send a signal twice at once and mean
/// one.
constexpr std::int64_t together = 500;

std::int64_t milliseconds_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a signal handler
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
}

std::atomic<const char*> last_words{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "as above");

extern "C" void clean_up_and_end(int signal) {
  // Acquire: pairs with the release in write_on_ending_signal.
  if (const char* const text = last_words.load(std::memory_order_acquire)) {
    static_cast<void>(::write(STDERR_FILENO, text, std::strlen(text)) == 0);
  }
  workloads::discard_drafts();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // comes when this handler has returned
}

extern "C" void remember(int signal) {
  const std::int64_t now = milliseconds_now();
  std::int64_t first = 0;
  // relaxed: the numbers alone are the message
  if (received_at.compare_exchange_strong(first, now, std::memory_order_relaxed)) {
    received.store(signal, std::memory_order_relaxed);
  } else if (now - first > together) {
    clean_up_and_end(signal);
  }
}

extern "C" void describe(int /*signal*/) { describe_runtimes(STDERR_FILENO); }

}  // namespace

void describe_on_signal() noexcept {
  struct sigaction action = {};
  action.sa_handler = describe;
  action.sa_flags = SA_RESTART;  // what is being read or written goes on
  ::sigaction(SIGUSR1, &action, nullptr);
}

void write_on_ending_signal(const char* text) noexcept {
  last_words.store(text, std::memory_order_release);
}

void clean_up_on_signals() noexcept {
  for (const int signal : ending) {
    if (std::signal(signal, clean_up_and_end) != SIG_IGN) continue;
    std::signal(signal, SIG_IGN);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

interruption::interruption() {
  // relaxed: before the handlers are installed
  received.store(0, std::memory_order_relaxed);
  received_at.store(0, std::memory_order_relaxed);
  for (std::size_t i = 0; i < ending.size(); ++i) {
    before_[i] = std::signal(ending[i], remember);
    // Of nohup's making, and meant; of SIGINT the shell says so for every job in the background.
    if (before_[i] == SIG_IGN && ending[i] == SIGHUP) std::signal(SIGHUP, SIG_IGN);
  }
}

interruption::~interruption() {
  for (std::size_t i = 0; i < ending.size(); ++i) {
    if (before_[i] != SIG_ERR) std::signal(ending[i], before_[i]);
  }
}

int interruption::signal() const noexcept {
  return received.load(std::memory_order_relaxed);  // relaxed: as above
}

}  // namespace evencube::cli
