#pragma once

// Threads of a process of Windows, which does not say whether they sleep.

#include <cstddef>

namespace evencube::test {

/// How many threads the process has.
std::size_t threads_of_process();

/// Returns when all threads of the process except the calling one seem to sleep: they have used no
/// processor time in 100 ms, several ticks of the clock by which Windows counts it.
void until_others_sleep();

}  // namespace evencube::test
