#pragma once

#include <cmath>

#include <evencube/simulator/portable_math.hpp>
#include <evencube/simulator/random.hpp>

namespace evencube::papers {

/// Standard normal numbers by Marsaglia's polar method, from logarithms and roots that every
/// machine rounds alike.
class normal_stream {
 public:
  normal_stream(std::uint64_t seed, std::uint32_t stream)
      : uniform_(seed, simulator::random_purpose::sampling, stream) {}

  double next() {
    if (full_) {
      full_ = false;
      return spare_;
    }
    while (true) {
      const double x = 2 * uniform_.uniform() - 1;
      const double y = 2 * uniform_.uniform() - 1;
      const double s = x * x + y * y;
      if (s >= 1 || s == 0) continue;
      const double factor = std::sqrt(-2 * simulator::portable_log(s) / s);
      spare_ = y * factor;
      full_ = true;
      return x * factor;
    }
  }

 private:
  simulator::random_stream uniform_;
  double spare_ = 0;
  bool full_ = false;
};

}  // namespace evencube::papers
