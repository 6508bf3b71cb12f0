#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "explorer/explore.hpp"

namespace evencube::test {

using explorer::action;
using explorer::exploration;
using explorer::harm;
using explorer::memory_model;
using explorer::mutation;

/// For a scenario that is not explored under a memory model.
inline constexpr unsigned unexplored = ~0U;

/// The number of preemptions that a scenario is explored with, under each memory model. The
/// sanitizers' builds, a dozen times slower, explore one less.
struct depth {
  unsigned sequential;
  unsigned buffers;
  unsigned weak = 2;
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

inline void report(const char* what, const exploration& how, const explorer::outcome& found) {
  constexpr const char* models[] = {"sequential", "store buffers", "weak"};
  std::printf("  %-34s %-13s %u preemptions: %9llu schedules, %9llu states, %3u steps, %6.2f s\n",
              what, models[static_cast<unsigned>(how.model)], found.preemptions,
              static_cast<unsigned long long>(found.schedules),
              static_cast<unsigned long long>(found.states), found.steps, found.seconds);
}

template <typename Scenario>
void expect_none_wrong(const exploration& how) {
  const explorer::outcome found = explorer::explore<Scenario>(how);
  report("holds", how, found);
  EXPECT_TRUE(found.counterexample.empty()) << found.counterexample;
}

/// Expects that the scenario holds in every schedule. In the weak model this includes older values
/// and operations that fail without a reason.
template <typename Scenario>
void expect_holds(const depth& to) {
  expect_none_wrong<Scenario>({.preemptions = to.sequential - less, .failures = 0});
  expect_none_wrong<Scenario>(
      {.model = memory_model::store_buffers, .preemptions = to.buffers - less, .failures = 0});
  if (to.weak == unexplored) return;
  expect_none_wrong<Scenario>({.model = memory_model::weak, .preemptions = to.weak - less});
}

/// Expects that a scenario which is too large for all its schedules holds in `schedules` random
/// ones under each memory model.
template <typename Scenario>
void expect_holds_by_chance(std::uint64_t schedules, unsigned change_points = 4) {
  for (const memory_model model :
       {memory_model::sequential, memory_model::store_buffers, memory_model::weak}) {
    expect_none_wrong<Scenario>({.model = model,
                                 .preemptions = change_points,
                                 .random_schedules = less == 0 ? schedules : 1 + schedules / 16});
  }
}

/// Expects that the seeded bug makes some schedule go wrong, in the way that `symptom` says.
template <typename Scenario>
void expect_found(const char* bug, const mutation& seeded, const char* symptom,
                  memory_model model = memory_model::sequential) {
  const exploration how{.model = model, .preemptions = 4, .mutations = {seeded}, .failures = 0};
  const explorer::outcome found = explorer::explore<Scenario>(how);
  report(bug, how, found);
  ASSERT_FALSE(found.counterexample.empty()) << bug << " was not found";
  EXPECT_NE(found.counterexample.find(symptom), std::string::npos) << found.counterexample;
}

}  // namespace evencube::test
