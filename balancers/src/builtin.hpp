#pragma once

#include <evencube/balancers/registry.hpp>

/// One function for each balancer of the library, defined in the file of that balancer.
/// registry.cpp lists them.
namespace evencube::builtin {

balancer_descriptor describe_none();
balancer_descriptor describe_random();
balancer_descriptor describe_rotate();
balancer_descriptor describe_dem();
balancer_descriptor describe_oem();
balancer_descriptor describe_cwa();
balancer_descriptor describe_hybrid();
balancer_descriptor describe_diffusion();
balancer_descriptor describe_matching();
balancer_descriptor describe_gradient();
balancer_descriptor describe_sender_initiated();
balancer_descriptor describe_receiver_initiated();
balancer_descriptor describe_dispatcher();
balancer_descriptor describe_prediction();
balancer_descriptor describe_locality();
balancer_descriptor describe_optimal();

}  // namespace evencube::builtin
