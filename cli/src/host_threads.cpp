#include "host_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace evencube::cli {

void on_host_threads(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto work = [&] {
    // relaxed: the counter hands out numbers; what bodies wrote is published by the joins
    for (std::size_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock{mutex};
        if (!first) first = std::current_exception();
        next.store(count, std::memory_order_relaxed);  // relaxed: only to end the loops early
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const auto wanted = std::min<std::size_t>(std::max(1U, threads), count);
    for (std::size_t t = 1; t < wanted; ++t) helpers.emplace_back(work);
    work();
  }
  if (first) std::rethrow_exception(first);
}

unsigned usable_threads() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace evencube::cli
