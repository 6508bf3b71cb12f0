#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include <evencube/balancers/transmission.hpp>

namespace evencube {

/// How many nodes and links may be looked at; with nothing said, any number.
struct allowance {
  std::size_t left = std::numeric_limits<std::size_t>::max();
  bool exceeded = false;

  bool take(std::size_t some) {
    exceeded = exceeded || some > left;
    left -= exceeded ? left : some;
    return !exceeded;
  }
};

/// One function per transmission. `steps` may be null: then only the cost is found.
load_type run_phased(const plan& planned, schedule* steps);
load_type run_rounds(std::span<const load_type> loads, const plan& planned, schedule* steps);
load_type run_overlapped(std::span<const load_type> loads, const plan& planned, schedule* steps);
/// The result counts only where the work allowed was enough.
load_type run_pipelined(std::span<const load_type> loads, const plan& planned, schedule* steps,
                        allowance& work);
load_type run_direct(std::span<const load_type> loads, const plan& planned, schedule* steps);

}  // namespace evencube
