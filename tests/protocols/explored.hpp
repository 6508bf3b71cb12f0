#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "explorer/explore.hpp"

namespace evencube::test {

using explorer::action;
using explorer::harm;
using explorer::memory_model;
using explorer::mutation;

/// How many preemptions a scenario is explored with, under each memory model. The sanitizers'
/// builds, a dozen times slower, explore one less.
struct depth {
  unsigned sequential;
  unsigned buffers;
};

#if defined(__SANITIZE_ADDRESS__)
inline constexpr unsigned less = 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr unsigned less = 1;
#else
inline constexpr unsigned less = 0;
#endif
#else
inline constexpr unsigned less = 0;
#endif

inline void report(const char* what, memory_model model, const explorer::outcome& found) {
  std::printf("  %-34s %-13s %u preemptions: %9llu schedules, %9llu states, %6.2f s\n", what,
              model == memory_model::sequential ? "sequential" : "store buffers", found.preemptions,
              static_cast<unsigned long long>(found.schedules),
              static_cast<unsigned long long>(found.states), found.seconds);
}

/// The scenario holds in every schedule.
template <typename Scenario>
void expect_holds(const depth& to) {
  for (const memory_model model : {memory_model::sequential, memory_model::store_buffers}) {
    const unsigned bound = model == memory_model::sequential ? to.sequential : to.buffers;
    const explorer::outcome found =
        explorer::explore<Scenario>({.model = model, .preemptions = bound - less});
    report("holds", model, found);
    EXPECT_TRUE(found.counterexample.empty()) << found.counterexample;
  }
}

/// With the bug some schedule goes wrong, and in the way that `symptom` says.
template <typename Scenario>
void expect_found(const char* bug, const mutation& seeded, const char* symptom,
                  memory_model model = memory_model::sequential) {
  const explorer::outcome found =
      explorer::explore<Scenario>({.model = model, .preemptions = 4, .mutations = {seeded}});
  report(bug, model, found);
  ASSERT_FALSE(found.counterexample.empty()) << bug << " was not found";
  EXPECT_NE(found.counterexample.find(symptom), std::string::npos) << found.counterexample;
}

}  // namespace evencube::test
