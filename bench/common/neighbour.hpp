#pragma once

#include <sys/types.h>

#include <utility>

namespace bench {

/// A process that keeps one CPU busy as long as this object lives, as a stranger's program would.
class busy_neighbour {
 public:
  busy_neighbour() = default;
  /// Starts one pinned to `cpu`. Throws std::system_error if there is no such CPU. To be made while
  /// the program has one thread.
  explicit busy_neighbour(unsigned cpu);
  busy_neighbour(busy_neighbour&& other) noexcept : process_(std::exchange(other.process_, 0)) {}
  busy_neighbour& operator=(busy_neighbour&& other) noexcept {
    std::swap(process_, other.process_);
    return *this;
  }
  ~busy_neighbour();

 private:
  pid_t process_ = 0;
};

}  // namespace bench
