#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <evencube/balancers/choice.hpp>
#include <evencube/balancers/plan.hpp>
#include <evencube/cluster/object_id.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// An object as a plan sees it.
struct placed_object {
  cluster_object_id id;
  std::uint32_t rank = 0;
  load_type load = 1;  ///< in quanta, at least 1
};

/// Plans for the loads of the ranks, and chooses whole objects for the plan: sets their ranks to
/// those where they live afterwards. All loads are then within the largest load of an object of the
/// planned loads, and equal to these if all loads are 1. Returns the plan, in quanta. The result is
/// a pure function of the arguments. Besides the plan, O(objects x log objects) for each phase and
/// for each object that moves. Throws what the balancer throws.
EVENCUBE_EXPORT plan place_objects(std::span<placed_object> all, unsigned ranks,
                                   const balancer_choice& by, const balancer_options& options,
                                   std::uint64_t seed);

}  // namespace evencube::detail
