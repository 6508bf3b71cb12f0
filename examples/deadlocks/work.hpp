#pragma once

#include <chrono>

/// Works for about 20 microseconds.
inline void some_work() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
  while (std::chrono::steady_clock::now() < until) {
  }
}
