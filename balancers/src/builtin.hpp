#pragma once

#include <evencube/balancers/registry.hpp>

/// One function per balancer of the library, defined beside it; registry.cpp lists them.
namespace evencube::builtin {

balancer_descriptor describe_none();
balancer_descriptor describe_random();
balancer_descriptor describe_rotate();
balancer_descriptor describe_dem();
balancer_descriptor describe_oem();

}  // namespace evencube::builtin
