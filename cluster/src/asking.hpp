#pragma once

#include <cstdint>

#include "balancing.hpp"
#include "checked_mutex.hpp"
#include "mail.hpp"
#include "rank_core.hpp"
#include "work.hpp"

namespace evencube::detail {

/// What ranks do that get tasks by asking other ranks for half of theirs, whichever they ask.
class asking : public rank_balancing {
 public:
  asking(rank_core& core, mail& post, rank_work& work) : core_(core), mail_(post), work_(work) {}

  [[nodiscard]] rank_load load() const override EVENCUBE_REQUIRES(the_turn, shared_data);
  [[nodiscard]] std::uint32_t rounds_begun() const override EVENCUBE_REQUIRES(the_turn) {
    return 0;
  }

 protected:
  [[nodiscard]] const rank_core& core() const noexcept { return core_; }
  /// True if a group is open, no rank is held, and a worker has nothing to do.
  [[nodiscard]] bool is_hungry() const EVENCUBE_REQUIRES(the_turn);
  /// True if a group is open, no rank is held, and all tasks that are here have begun. Or, for the
  /// ranks to which this one owes tasks, all tasks that could move.
  [[nodiscard]] bool has_no_tasks(bool for_others) const EVENCUBE_REQUIRES(the_turn);
  /// True if the workers that are about to take a task will take all that are here.
  [[nodiscard]] bool needs_all_its_tasks() const EVENCUBE_REQUIRES(the_turn);
  void ask(unsigned other) EVENCUBE_REQUIRES(the_turn);
  void refuse(unsigned other) EVENCUBE_REQUIRES(the_turn);
  /// Returns the number of tasks that were given; 0 if the rank has none that can move.
  std::uint64_t give_half(unsigned to) EVENCUBE_REQUIRES(the_turn);
  /// True if the program has spawned since the last call.
  [[nodiscard]] bool take_program_spawns() EVENCUBE_REQUIRES(the_turn);

 private:
  [[nodiscard]] bool may_ask() const EVENCUBE_REQUIRES(the_turn, shared_data);

  rank_core& core_;
  mail& mail_;
  rank_work& work_;
};

}  // namespace evencube::detail
