#pragma once

#include <evencube/evencube.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace evencube::programs {

/// What an observer was told, and whether it may be so. What is known of a worker is plain: a
/// thread sanitizer finds two calls about it of which neither comes before the other.
class watcher {
 public:
  /// For a runtime of so many workers, spare ones among them.
  explicit watcher(unsigned workers) : workers_(workers) {}

  void started(unsigned k);
  void stopped(unsigned k);
  void parks(unsigned k);
  void wakes(unsigned k);
  void begins(unsigned k);
  void ended(unsigned k);

  /// How many tasks have begun, or were dropped.
  [[nodiscard]] std::int64_t tasks() const { return tasks_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::optional<std::string> wrong() const;
  /// A mistake: of one end it knows nothing.
  void forget_one() { forgets_.store(true, std::memory_order_relaxed); }
  /// The runtime is gone: what has begun must have ended.
  void at_the_end();

 private:
  struct state {
    bool on = false;
    bool parked = false;
    int depth = 0;
    std::thread::id thread;
  };
  state* of(unsigned k);
  void expect(bool right, const char* what, unsigned k);

  std::vector<state> workers_;
  std::atomic<std::int64_t> tasks_{0};
  std::atomic<bool> forgets_{false};
  mutable std::mutex mutex_;
  std::optional<std::string> wrong_;
};

/// The observer of a runtime made like this; none if it tells nothing.
std::shared_ptr<observer> observer_of(const setting& s, const std::shared_ptr<watcher>& watching);

}  // namespace evencube::programs
