#pragma once

#include <cstdint>

namespace bench {

/// Counts from many threads at the price of one increment: how many tasks really ran.
class tally {
 public:
  /// Adds one. Any thread.
  static void count() {
    if (mine_ == nullptr) mine_ = enrol();
    ++*mine_;
  }
  /// The sum over all threads, which must not be counting meanwhile, and what they counted must
  /// happen before the call (a join does); starts again at 0.
  static std::uint64_t take();

 private:
  static std::uint64_t* enrol();
  static thread_local constinit inline std::uint64_t* mine_ = nullptr;
};

}  // namespace bench
