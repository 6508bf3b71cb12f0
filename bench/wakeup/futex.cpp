// The floor: threads that sleep on one word and are woken by the kernel, nothing else. The calling
// thread is one of the workers, as it is for the runtimes; all are pinned, each to its own CPU
// while there are enough.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <vector>

#include "../common/pinning.hpp"
#include "config.hpp"

namespace {

class sleepers {
 public:
  explicit sleepers(unsigned count) {
    const std::vector<unsigned> cpus = bench::allowed_cpus();
    bench::pin_this_thread(cpus[0]);
    for (unsigned i = 1; i < count; ++i) {
      threads_.emplace_back([this, cpu = cpus[i % cpus.size()]] { work(cpu); });
    }
  }
  ~sleepers() {
    wake(nullptr);
    for (std::thread& each : threads_) each.join();
  }

  /// Makes every thread, this one included, attend; returns when all have.
  void call(bench::wakeup::meeting& all) {
    wake(&all);
    all.attend();
    while (left_.load(std::memory_order_acquire) > 0) {
    }
  }

 private:
  void wake(bench::wakeup::meeting* next) {
    next_ = next;
    left_.store(threads_.size(), std::memory_order_relaxed);
    // Release: publishes both to the threads that see the new number.
    number_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &number_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  void work(unsigned cpu) {
    bench::pin_this_thread(cpu);
    for (std::uint32_t seen = 0;; ++seen) {
      while (number_.load(std::memory_order_acquire) == seen) {
        syscall(SYS_futex, &number_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
      }
      if (next_ == nullptr) return;
      next_->attend();
      left_.fetch_sub(1, std::memory_order_release);  // pairs with the acquiring load in `call`
    }
  }

  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  std::atomic<std::uint32_t> number_{0};
  std::atomic<std::size_t> left_{0};
  bench::wakeup::meeting* next_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::wakeup::about, {"futex"}, argc, argv, [](auto& with) {
    sleepers threads(with.workers());
    return bench::wakeup::measure(with, [&](bench::wakeup::meeting& all) { threads.call(all); });
  });
}
