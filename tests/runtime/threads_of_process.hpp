#pragma once

#include <chrono>
#include <cstddef>
#include <thread>

#if defined(_WIN32)
#include "windows/threads_of_process.hpp"
#else

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

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

/// A thread as the kernel sees it at one moment.
struct thread_state {
  bool sleeps = false;
  /// How often it has given up, or lost, its processor.
  std::uint64_t switches = 0;

  bool operator==(const thread_state&) const = default;
};

/// `thread` is a folder of /proc/self/task. A thread that has ended sleeps.
inline thread_state state_of(const std::filesystem::path& thread) {
  thread_state state{.sleeps = true};
  std::ifstream lines(thread / "status");
  for (std::string word; lines >> word;) {
    if (word == "State:") {
      lines >> word;
      state.sleeps = word == "S";
    } else if (word == "voluntary_ctxt_switches:" || word == "nonvoluntary_ctxt_switches:") {
      std::uint64_t switches = 0;
      lines >> switches;
      state.switches += switches;
    }
  }
  return state;
}

/// Whether the thread with this number, which a system call gave, sleeps.
inline bool sleeps(pid_t thread) {
  return state_of("/proc/self/task/" + std::to_string(thread)).sleeps;
}

/// Returns when all threads of the process but the calling one sleep, and none has been awake
/// between two looks: then nothing happens until this thread does something.
inline void until_others_sleep() {
  const auto looks = [] {
    std::map<std::string, thread_state> others;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      const std::string name = thread.path().filename();
      if (name != std::to_string(::gettid())) others[name] = state_of(thread.path());
    }
    return others;
  };
  for (auto before = looks();; std::this_thread::yield()) {
    const auto now = looks();
    if (now == before && std::all_of(now.begin(), now.end(),
                                     [](const auto& other) { return other.second.sleeps; })) {
      return;
    }
    before = now;
  }
}

}  // namespace evencube::test

#endif

namespace evencube::test {

/// How many threads the process has, once these are no more than `most`, or after five seconds: a
/// thread that has been joined may be seen for a moment more.
inline std::size_t threads_of_process(std::size_t most) {
  for (int i = 0; i < 5000 && threads_of_process() > most; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return threads_of_process();
}

}  // namespace evencube::test
