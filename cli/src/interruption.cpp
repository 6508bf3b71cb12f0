#include "interruption.hpp"

#include <atomic>
#include <csignal>

namespace evencube::cli {
namespace {

std::atomic<bool> pressed{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

extern "C" void on_interrupt(int signal) {
  // relaxed: the flag alone is the message
  pressed.store(true, std::memory_order_relaxed);
  std::signal(signal, SIG_DFL);
}

}  // namespace

interruption::interruption() {
  pressed.store(false, std::memory_order_relaxed);  // relaxed: before the handler is installed
  before_ = std::signal(SIGINT, on_interrupt);
}

interruption::~interruption() {
  if (before_ != SIG_ERR) std::signal(SIGINT, before_);
}

bool interruption::requested() const noexcept {
  return pressed.load(std::memory_order_relaxed);  // relaxed: as above
}

}  // namespace evencube::cli
