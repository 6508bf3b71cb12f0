#pragma once

#include <exception>

#include "balancing.hpp"
#include "checked_mutex.hpp"
#include "gatherings.hpp"
#include "rank_core.hpp"
#include "work.hpp"

namespace evencube::detail {

/// The comparison of what must be equal on all ranks, by the first group. If it is not, no group
/// can be made.
class registration {
 public:
  registration(rank_core& core, rank_work& work, call_gatherings& gatherings,
               rank_balancing& balancing)
      : core_(core), work_(work), gatherings_(gatherings), balancing_(balancing) {}

  /// Called by each group. Throws evencube::error, which names the difference.
  void agree();

 private:
  void compare();

  rank_core& core_;
  rank_work& work_;
  call_gatherings& gatherings_;
  rank_balancing& balancing_;
  std::exception_ptr unequal_ EVENCUBE_GUARDED_BY(shared_data);  // the error of the first group
};

}  // namespace evencube::detail
