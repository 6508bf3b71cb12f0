#pragma once

#include <span>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// `transmission::pipelined` in batches: in each step every node gives up to `batch` quanta to each
/// of its links that still want some, circularly from behind the link it served last, until what it
/// held before the step is used up. A step lasts as long as its largest transfer. With a batch of 1
/// it is `make_schedule(transmission::pipelined, ...)`, the paper's counts; larger ones take so
/// many times fewer steps, and a node forwards a batch only when it is there. Where that would
/// starve, or cost more than `overlapped`, it is `overlapped`. Throws std::invalid_argument for a
/// batch below 1. O(links x steps), with at most about as many steps as the busiest link has
/// batches, plus the longest way.
[[nodiscard]] EVENCUBE_EXPORT schedule make_batched_schedule(std::span<const load_type> loads,
                                                             const plan& planned, load_type batch);

/// The batch with which the busiest link of the plan takes 16 steps; 1 where it carries fewer
/// quanta.
[[nodiscard]] EVENCUBE_EXPORT load_type usual_batch(std::size_t nodes, const plan& planned);

}  // namespace evencube
