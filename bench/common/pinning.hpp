#pragma once

#include <sched.h>

#include <vector>

namespace bench {

/// The CPUs that this thread may run on, ascending; the first 1024 only.
inline std::vector<unsigned> allowed_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  std::vector<unsigned> allowed;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) allowed.push_back(cpu);
  }
  return allowed;
}

/// False if the system refuses.
inline bool pin_this_thread(unsigned cpu) {
  if (cpu >= CPU_SETSIZE) return false;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  return sched_setaffinity(0, sizeof mask, &mask) == 0;
}

}  // namespace bench
