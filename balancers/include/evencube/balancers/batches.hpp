#pragma once

#include <span>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Makes the schedule of `transmission::pipelined` in batches. In each step every node gives up to
/// `batch` quanta to each of its links that still needs quanta. The node serves its links in turn,
/// beginning after the link that it served last, until it has used up the quanta that it held
/// before the step. A step lasts as long as its largest transfer. With a batch of 1 the result is
/// `make_schedule(transmission::pipelined, ...)`, the counts of the paper. A larger batch divides
/// the number of steps by about `batch`, but a node forwards a batch only when the whole batch has
/// arrived. If the rotation would starve, or cost more than `overlapped`, the result is the
/// schedule of `overlapped`. Throws std::invalid_argument for a batch below 1. O(links x steps);
/// the number of steps is at most about the batches of the busiest link plus the longest path.
[[nodiscard]] EVENCUBE_EXPORT schedule make_batched_schedule(std::span<const load_type> loads,
                                                             const plan& planned, load_type batch);

/// Returns the batch with which the busiest link of the plan takes 16 steps; 1 if that link carries
/// fewer quanta.
[[nodiscard]] EVENCUBE_EXPORT load_type usual_batch(std::size_t nodes, const plan& planned);

}  // namespace evencube
