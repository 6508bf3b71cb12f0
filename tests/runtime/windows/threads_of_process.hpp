#pragma once

// The same for Windows, where a thread does not say whether it sleeps.

#include <chrono>
#include <cstddef>
#include <thread>

namespace evencube::test {

/// How many threads the process has.
std::size_t threads_of_process();

/// The same once there are no more than `most`, or after a while: a thread that has been joined may
/// be seen for a moment more.
inline std::size_t threads_of_process(std::size_t most) {
  for (int i = 0; i < 5000 && threads_of_process() > most; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return threads_of_process();
}

/// Returns when all threads of the process except the calling one seem to sleep: they have used no
/// processor time in 100 ms, several ticks of the clock by which Windows counts it.
void until_others_sleep();

}  // namespace evencube::test
