#include "spin_clock.hpp"

#include <chrono>

namespace bench {

// 100 ms: an error of a microsecond at either end is then one part in 50000.
spin_clock::spin_clock() {
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  const std::uint64_t first = now();
  auto end = begin;
  while (end - begin < std::chrono::milliseconds(100)) end = steady_clock::now();
  const std::uint64_t last = now();
  ticks_per_microsecond_ = static_cast<double>(last - first) /
                           std::chrono::duration<double, std::micro>(end - begin).count();
}

}  // namespace bench
