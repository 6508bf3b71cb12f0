#pragma once

#include <gtest/gtest.h>

#include <string>

#include "explore.hpp"

namespace evencube::explorer {

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

using var = explored::atomic<int>;

/// A classic test of memory models: which outcomes the C++ standard allows, and which not. `check`
/// says by `outcome` whether the one in question has happened; a counterexample then shows that the
/// model has it.
template <unsigned Threads>
struct litmus : scenario {
  var x{0};
  var y{0};
  int seen[6] = {-1, -1, -1, -1, -1, -1};
  [[nodiscard]] unsigned threads() const override { return Threads; }
  static void outcome(bool happened) { require(!happened, "the outcome"); }
};

template <typename Scenario>
bool allows(unsigned old_values = 3) {
  const std::string found =
      explore<Scenario>({.model = memory_model::weak, .preemptions = 6, .old_values = old_values})
          .counterexample;
  if (found.empty()) return false;
  EXPECT_NE(found.find("the outcome"), std::string::npos) << found;
  return true;
}

}  // namespace evencube::explorer
