#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include <evencube/balancers/transmission.hpp>

namespace evencube {

/// The number of nodes and links that may still be visited; by default, any number.
struct allowance {
  std::size_t left = std::numeric_limits<std::size_t>::max();
  bool exceeded = false;

  bool take(std::size_t some) {
    exceeded = exceeded || some > left;
    left -= exceeded ? left : some;
    return !exceeded;
  }
};

/// One function for each transmission. If `steps` is null, only the cost is found.
load_type run_phased(const plan& planned, schedule* steps);
load_type run_rounds(std::span<const load_type> loads, const plan& planned, schedule* steps);
load_type run_overlapped(std::span<const load_type> loads, const plan& planned, schedule* steps);
/// The result is valid only if the allowed work was enough.
load_type run_pipelined(std::span<const load_type> loads, const plan& planned, schedule* steps,
                        allowance& work);
load_type run_direct(std::span<const load_type> loads, const plan& planned, schedule* steps);

}  // namespace evencube
