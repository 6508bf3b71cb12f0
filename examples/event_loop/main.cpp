// A thread with an event loop, as programs with windows or sockets have one, that must never block:
// it hands requests to the runtime, and what is to follow is said with `then`. The last step posts
// the answer back to the loop.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <evencube/evencube.hpp>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

/// Functions that others want to have called on the loop's thread.
class event_loop {
 public:
  void post(std::function<void()> event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    arrived_.notify_one();
  }
  /// Calls the next one, for which it waits.
  void turn() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !events_.empty(); });
    const std::function<void()> event = std::move(events_.front());
    events_.pop_front();
    lock.unlock();
    event();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> events_;
};

long sum_up_to(int n) {
  return evencube::parallel_reduce(
      0, n + 1, 0L, [](int i) { return static_cast<long>(i); },
      [](long a, long b) { return a + b; });
}

}  // namespace

int main() {
  event_loop loop;
  evencube::runtime rt;  // after the loop, so that its tasks end before the loop does
  constexpr int requests = 10;
  int answered = 0;
  long total = 0;

  for (int n = 1; n <= requests; ++n) {
    loop.post([&, n] {
      // Returns at once. Dropping the future does not stop what it stands for.
      rt.async([n] { return sum_up_to(n * 1000); })
          .then([](long sum) { return std::pair(sum, std::to_string(sum)); })
          .then([&, n](const std::pair<long, std::string>& answer) {
            loop.post([&, n, answer] {
              std::printf("up to %d: %s\n", n * 1000, answer.second.c_str());
              total += answer.first;
              ++answered;
            });
          });
    });
  }
  while (answered < requests) loop.turn();
  return total == 192'527'500 ? 0 : 1;
}
