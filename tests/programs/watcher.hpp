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

/// Records the calls of an observer and checks them. The data about a worker is not atomic, so that
/// a thread sanitizer finds two calls about one worker that are not ordered.
class watcher {
 public:
  /// For a runtime of `workers` workers, including spare ones.
  explicit watcher(unsigned workers) : workers_(workers) {}

  void started(unsigned k);
  void stopped(unsigned k);
  void parks(unsigned k);
  void wakes(unsigned k);
  void begins(unsigned k);
  void ended(unsigned k);

  /// The number of tasks that have begun or were dropped.
  [[nodiscard]] std::int64_t tasks() const { return tasks_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::optional<std::string> wrong() const;
  /// A deliberate mistake: one end is not recorded.
  void forget_one() { forgets_.store(true, std::memory_order_relaxed); }
  /// Called after the runtime is gone: all tasks that have begun must have ended.
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

/// The observer of a runtime with setting `s`; null if the runtime reports nothing.
std::shared_ptr<observer> observer_of(const setting& s, const std::shared_ptr<watcher>& watching);

}  // namespace evencube::programs
