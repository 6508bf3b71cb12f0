// No thread copies or frees a long argument or result while it holds the mutex of its rank, so
// workers and the program go on meanwhile.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cluster/long_allocations.hpp"
#include "cluster/support.hpp"

namespace evencube {
namespace {

/// A thread that takes the mutex of every rank when it is asked to. The asking thread waits for
/// that, for ever if it has one of these mutexes.
class mutex_taker {
 public:
  mutex_taker() : thread_([this] { serve(); }) {
    current = this;
    test::long_allocations::called = [] { current.load()->ask(); };
  }
  mutex_taker(const mutex_taker&) = delete;
  mutex_taker& operator=(const mutex_taker&) = delete;
  ~mutex_taker() {
    test::long_allocations::called = nullptr;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void begin(cluster& world) {
    const std::lock_guard lock(of_worlds_);
    worlds_.insert(&world);
  }
  void end(cluster& world) {
    const std::lock_guard lock(of_worlds_);
    worlds_.erase(&world);
  }
  [[nodiscard]] std::uint64_t asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  void ask() {
    std::unique_lock lock(mutex_);
    const std::uint64_t number = ++asked_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return answered_ >= number || over_; });
  }
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return asked_ > answered_ || over_; });
      if (over_) return;
      const std::uint64_t number = asked_;
      lock.unlock();
      {
        const std::lock_guard worlds(of_worlds_);
        for (cluster* const each : worlds_) static_cast<void>(each->stats());
      }
      lock.lock();
      answered_ = number;
      changed_.notify_all();
    }
  }

  static std::atomic<mutex_taker*> current;

  std::mutex of_worlds_;
  std::set<cluster*> worlds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  bool over_ = false;
  std::thread thread_;
};

std::atomic<mutex_taker*> mutex_taker::current{nullptr};

TEST(long_arguments, are_never_copied_under_the_mutex) {
  using bytes = std::vector<char>;
  const bytes many(2 * test::long_allocations::least, 'x');
  const test::rank_deadline deadline("long arguments", std::chrono::minutes(2));
  mutex_taker taker;
  test::on_ranks(2, {}, test::small_ranks("oem"), [&](cluster& world) {
    auto echo = world.task<bytes, bytes>("echo", [](const bytes& one) { return one; });
    auto refuse = world.task<bytes, bytes>(
        "refuse", [](const bytes&) -> bytes { throw std::runtime_error("refused"); });
    taker.begin(world);
    const cluster_spawn_options away{.rank = 1 - world.rank()};
    {
      cluster_group jobs(world);
      jobs.spawn(echo, many, away);
      bool came = false;
      jobs.wait([&](const bytes& sent, bytes&& one) { came = sent == one; });
      EXPECT_TRUE(came);
    }
    {
      cluster_group jobs(world);
      jobs.spawn(refuse, many, away);
      EXPECT_THROW(jobs.wait(), remote_error);
    }
    {
      cluster_group jobs(world);
      {
        cluster_hold still(world);
        if (world.rank() == 0) {
          for (int i = 0; i < 4; ++i) jobs.spawn(echo, many);
        }
        static_cast<void>(still.balance());
      }
      jobs.wait();
    }
    taker.end(world);
  });
  if (test::long_allocations::seen) {
    EXPECT_GT(taker.asked(), 10U);
  }
}

}  // namespace
}  // namespace evencube
