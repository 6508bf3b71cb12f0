#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

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

/// The same once there are no more than `most`, or after a while: a thread that has been joined may
/// be seen for a moment more.
inline std::size_t threads_of_process(std::size_t most) {
  for (int i = 0; i < 5000 && threads_of_process() > most; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return threads_of_process();
}

/// What the kernel calls them.
inline std::multiset<std::string> names_of_threads() {
  std::multiset<std::string> names;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    names.insert(name);
  }
  return names;
}

}  // namespace evencube::test
