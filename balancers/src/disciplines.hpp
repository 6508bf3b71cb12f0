#pragma once

#include <span>

#include <evencube/balancers/transmission.hpp>

/// One function per transmission. `steps` may be null: then only the cost is found.
namespace evencube {

load_type run_phased(const plan& planned, schedule* steps);
load_type run_rounds(std::span<const load_type> loads, const plan& planned, schedule* steps);
load_type run_overlapped(std::span<const load_type> loads, const plan& planned, schedule* steps);
load_type run_pipelined(std::span<const load_type> loads, const plan& planned, schedule* steps);
load_type run_direct(std::span<const load_type> loads, const plan& planned, schedule* steps);

}  // namespace evencube
