#include "interruption.hpp"

#include <atomic>
#include <csignal>
#include <cstddef>

#include <evencube/workloads/output_file.hpp>

namespace evencube::cli {
namespace {

constexpr std::array<int, 3> ending{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> received{0};
std::atomic<bool> hang_ups_ignored{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch nothing else");

extern "C" void clean_up_and_end(int signal) {
  workloads::discard_drafts();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // comes when this handler has returned
}

extern "C" void remember(int signal) {
  // relaxed: the number alone is the message
  received.store(signal, std::memory_order_relaxed);
  for (const int any : ending) {
    if (any == SIGHUP && hang_ups_ignored.load(std::memory_order_relaxed)) continue;
    std::signal(any, clean_up_and_end);
  }
}

}  // namespace

void clean_up_on_signals() noexcept {
  for (const int signal : ending) {
    if (std::signal(signal, clean_up_and_end) != SIG_IGN) continue;
    std::signal(signal, SIG_IGN);
    // relaxed: written before there are other threads
    if (signal == SIGHUP) hang_ups_ignored.store(true, std::memory_order_relaxed);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

interruption::interruption() {
  received.store(0, std::memory_order_relaxed);  // relaxed: before the handlers are installed
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
