#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

namespace evencube::explorer {

/// One operation of a small program: a load, a store or an exchange of one of two variables.
struct operation {
  enum kind : std::uint8_t { load, store, exchange };
  kind what;
  unsigned variable;
  std::memory_order order;
  int value;  // stored, different from all others and from 0, the variables' first value
};

/// What each thread does, one after the other.
using small_program = std::vector<std::vector<operation>>;

/// What the operations that read gave, thread by thread, and then the variables' last values.
using small_outcome = std::vector<int>;

/// The outcomes that the C++20 standard allows ([intro.races], [atomics.order]), found by trying
/// all ways to read from and to order the stores of each variable. Without those in which loads and
/// program order go round in a circle (load buffering). Exponential: for a dozen operations.
struct allowed_outcomes {
  std::set<small_outcome> standard;
  /// Those of them for which some order of execution agrees with what is read from what and with
  /// the order of the seq_cst operations.
  std::set<small_outcome> executable;
};
allowed_outcomes outcomes_of(const small_program& program);

}  // namespace evencube::explorer
