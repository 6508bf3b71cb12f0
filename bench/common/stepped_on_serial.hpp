#pragma once

#include "on_serial.hpp"
#include "stepped.hpp"

namespace bench {

/// `measure(with, loop)`
template <typename Measure>
int stepped_on_serial(const workload& about, int argc, char** argv, const Measure& measure) {
  return main_of(about, on_serial, argc, argv, [&](program& with) {
    const auto loop = [](std::size_t n, const auto& body) { body(std::size_t{0}, n); };
    return measure(with, loop);
  });
}

}  // namespace bench
