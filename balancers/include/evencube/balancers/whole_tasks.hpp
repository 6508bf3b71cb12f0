#pragma once

#include <cstddef>
#include <span>

#include <evencube/balancers/plan.hpp>

namespace evencube {

/// Returns true if one more indivisible task of this cost brings a transfer nearer to its planned
/// amount; `left` quanta of this amount are still missing. A transfer that takes tasks while this
/// function returns true misses its amount by at most half the cost of its last task, or of the
/// first task that it leaves behind.
[[nodiscard]] constexpr bool takes_whole_task(load_type left, load_type cost) noexcept {
  return left > cost / 2;
}

/// Moves whole tasks from nodes that hold more than planned to nodes that hold less, until every
/// error is above -largest and below `largest`. The error of a node is its load minus its planned
/// load. The errors must add up to 0, a node with an error above 0 must hold a task, and no task
/// may cost more than `largest`. `move(from, to)` moves a task and returns its cost; 0 means that
/// there was no task, and no more calls follow. O(nodes + moves). The proof that the function
/// terminates is in runtime/src/balance/migration.md (invariant migration.nearest).
template <typename Move>
void even_errors(std::span<load_type> errors, load_type largest, Move&& move) {
  std::size_t partner = 0;
  for (std::size_t giver = 0; giver < errors.size(); ++giver) {
    while (errors[giver] >= largest) {
      while (partner < errors.size() && errors[partner] >= 0) ++partner;
      if (partner == errors.size()) return;
      const load_type cost = move(static_cast<node_id>(giver), static_cast<node_id>(partner));
      if (cost == 0) return;
      errors[giver] -= cost;
      errors[partner] += cost;
    }
  }
  partner = 0;
  for (std::size_t taker = 0; taker < errors.size(); ++taker) {
    while (errors[taker] <= -largest) {
      while (partner < errors.size() && errors[partner] <= 0) ++partner;
      if (partner == errors.size()) return;
      const load_type cost = move(static_cast<node_id>(partner), static_cast<node_id>(taker));
      if (cost == 0) return;
      errors[partner] -= cost;
      errors[taker] += cost;
    }
  }
}

}  // namespace evencube
