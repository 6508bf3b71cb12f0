#pragma once

#include <evencube/balancing.hpp>
#include <string>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "balancing.hpp"
#include "calls.hpp"
#include "checked_mutex.hpp"
#include "gatherings.hpp"
#include "held_checkpoint.hpp"
#include "rank_core.hpp"
#include "work.hpp"

namespace evencube::detail {

/// Holds a rank together with all others (H in cluster/docs/ranks.md).
class rank_hold {
 public:
  rank_hold(rank_core& core, collective_calls& calls, rank_work& work, call_gatherings& gatherings,
            rank_balancing& balancing)
      : core_(core), calls_(calls), work_(work), gatherings_(gatherings), balancing_(balancing) {}

  void begin();
  void end();
  [[nodiscard]] std::vector<load_type> loads();
  [[nodiscard]] balancing_round round();
  void save(const std::string& path) { save_held(core_, work_, gatherings_, path); }
  bool load(const std::string& path) { return load_held(core_, work_, gatherings_, path); }

  /// What this rank has sent and received, and its rounds. Called between two actions of a turn.
  [[nodiscard]] message_bytes count_work() EVENCUBE_REQUIRES(the_turn);

 private:
  rank_core& core_;
  collective_calls& calls_;
  rank_work& work_;
  call_gatherings& gatherings_;
  rank_balancing& balancing_;
};

}  // namespace evencube::detail
