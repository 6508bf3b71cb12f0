#include <evencube/hot_phase.hpp>

#include <stdexcept>
#include <string>

#include <evencube/detail/atomics.hpp>

#include "engine/engine.hpp"
#include "search/hot_phases.hpp"

namespace evencube {

hot_phase::hot_phase(runtime& runtime, std::chrono::nanoseconds limit) {
  if (limit <= std::chrono::nanoseconds::zero() || limit > longest_limit) {
    throw std::invalid_argument("hot_phase: a limit of " + std::to_string(limit.count()) +
                                " ns is not allowed; it must be above 0 and at most an hour");
  }
  auto& engine = static_cast<detail::engine&>(detail::workers_of(runtime).host());
  engine.check_alive();
  phases_ = engine.phases();
  until_ns_ = detail::now_ns() + limit.count();
  phases_->begin(until_ns_);
}

hot_phase::~hot_phase() { phases_->end(until_ns_); }

}  // namespace evencube
