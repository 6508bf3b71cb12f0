#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>

#include "interpret.hpp"
#include "print.hpp"
#include "program.hpp"
#include "watchdog.hpp"

namespace evencube::programs {

inline void report(const program& p, const std::string& what, const std::string& runtimes) {
  std::fprintf(stderr, "seed %llu with %u workers: %s\n%s\n",
               static_cast<unsigned long long>(p.seed), p.runtimes[0].workers, what.c_str(),
               to_cpp(p).c_str());
  std::fflush(stderr);
  std::fprintf(stderr, "%s\n", runtimes.c_str());
}

/// Runs programs one after another under a watchdog.
class runner {
 public:
  runner(std::chrono::milliseconds patience, const mutation& mistake_at)
      : mistake_at_(mistake_at), watchdog_(patience, progress(), [this] {
          report(*running_.load(std::memory_order_acquire), "makes no progress", store_.describe());
        }) {}

  bool run(const program& p) {
    running_.store(&p, std::memory_order_release);  // pairs with the watchdog's look at it
    watchdog_.watch();
    const auto failure = run_and_check(p, store_, mistake_at_);
    watchdog_.rest();
    if (failure) report(p, *failure, store_.describe());
    return !failure;
  }

 private:
  mutation mistake_at_;
  runtime_store store_;
  std::atomic<const program*> running_{nullptr};
  watchdog watchdog_;
};

inline std::chrono::milliseconds usual_patience() { return std::chrono::seconds{20} * slowness(); }

}  // namespace evencube::programs
