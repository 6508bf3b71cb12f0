#pragma once

#include <span>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Makes a batched schedule for `transmission::pipelined`. In each step every node sends up to
/// `batch` quanta over each link that still needs quanta. The node serves its links in turn,
/// beginning after the last link served, until it has used up the quanta that it held before the
/// step. A step lasts as long as its largest transfer. A batch of 1 gives
/// `make_schedule(transmission::pipelined, ...)`, as in the paper. A larger batch divides the
/// number of steps by about `batch`, but a node forwards a batch only when the whole batch has
/// arrived. If the rotation would stall, or cost more than `overlapped`, the result is the
/// `overlapped` schedule. Throws std::invalid_argument for a batch below 1. O(links x steps); the
/// number of steps is at most about the batches on the busiest link plus the links on the longest
/// path.
[[nodiscard]] EVENCUBE_EXPORT schedule make_batched_schedule(std::span<const load_type> loads,
                                                             const plan& planned, load_type batch);

/// Returns the batch size with which the plan's busiest link needs 16 steps; 1 if that link carries
/// fewer than 16 quanta.
[[nodiscard]] EVENCUBE_EXPORT load_type usual_batch(std::size_t nodes, const plan& planned);

}  // namespace evencube
