#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace evencube::test {

/// How many threads the process has.
inline std::size_t threads_of_process() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& thread :
       std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

/// The same once it is `expected`, or after a while: a thread that has been joined may be seen for
/// a moment more.
inline std::size_t threads_of_process(std::size_t expected) {
  for (int i = 0; i < 5000 && threads_of_process() != expected; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return threads_of_process();
}

}  // namespace evencube::test
