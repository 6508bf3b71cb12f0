#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "balancing.hpp"
#include "checked_mutex.hpp"
#include "lifelines.hpp"
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
  /// How much this rank needs tasks, if it does. `owed` says the same of the ranks to which it owes
  /// tasks, which it needs if it has none that can move.
  [[nodiscard]] std::optional<need> needs(std::optional<need> owed = std::nullopt) const
      EVENCUBE_REQUIRES(the_turn);
  /// The numbers of waiting tasks, of those that can move, and of workers about to take one.
  struct waiting_tasks {
    std::size_t all = 0;
    std::size_t movable = 0;
    std::size_t takers = 0;
  };
  [[nodiscard]] waiting_tasks waiting() const EVENCUBE_REQUIRES(the_turn);
  void ask(unsigned other, need how) EVENCUBE_REQUIRES(the_turn);
  void refuse(unsigned other) EVENCUBE_REQUIRES(the_turn);
  /// Returns the number of tasks that were given; 0 if the rank has none that can move.
  std::uint64_t give_half(unsigned to) EVENCUBE_REQUIRES(the_turn);
  /// True if the program has spawned since the last call.
  [[nodiscard]] bool take_program_spawns() EVENCUBE_REQUIRES(the_turn);

 private:
  /// True if the rank is neither held nor stopped, and does not leave.
  [[nodiscard]] bool takes_part() const EVENCUBE_REQUIRES(the_turn, shared_data);

  rank_core& core_;
  mail& mail_;
  rank_work& work_;
};

}  // namespace evencube::detail
