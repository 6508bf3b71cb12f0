#include "rank_core.hpp"

#include <cmath>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <stdexcept>

namespace evencube::detail {
namespace {

cluster_options checked(cluster_options options) {
  options.balancer_options = evencube::chosen_options(options.balancer, options.balancer_options);
  static_cast<void>(evencube::parse_transmission(options.transmission.text()));
  if (!(options.message_seconds >= 0)) {
    throw std::invalid_argument("cluster_options::message_seconds is " +
                                std::to_string(options.message_seconds) +
                                ", allowed are 0 and more");
  }
  if (!(options.bytes_per_second > 0)) {
    throw std::invalid_argument("cluster_options::bytes_per_second is " +
                                std::to_string(options.bytes_per_second) +
                                ", allowed is more than 0");
  }
  if (!(options.quantum_seconds >= 0) || std::isinf(options.quantum_seconds)) {
    throw std::invalid_argument("cluster_options::quantum_seconds is " +
                                std::to_string(options.quantum_seconds) +
                                ", allowed are 0 and more, finite");
  }
  if (!(options.result_seconds >= 0) || std::isinf(options.result_seconds)) {
    throw std::invalid_argument("cluster_options::result_seconds is " +
                                std::to_string(options.result_seconds) +
                                ", allowed are 0 and more, finite");
  }
  if (options.window_bytes < 1) {
    throw std::invalid_argument("cluster_options::window_bytes is 0, allowed are 1 and more");
  }
  if (options.balancer == "random_stealing") {
    if (!options.balancer_options.empty()) {
      throw std::invalid_argument("random_stealing has no option " +
                                  options.balancer_options.begin()->first);
    }
  } else {
    static_cast<void>(evencube::make_balancer(options.balancer.name(), options.balancer_options));
  }
  return options;
}

}  // namespace

rank_core::rank_core(std::unique_ptr<transport> with, cluster_options chosen)
    : options(checked(std::move(chosen))), runtime(options.local), over(std::move(with)) {}

}  // namespace evencube::detail
