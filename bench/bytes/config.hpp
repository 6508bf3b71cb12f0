#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::bytes {

inline const workload about{
    "bytes", "pixel", {{"n", "4194304", "10000", "how many pixels of one byte"}}};

using pixel = std::uint8_t;

/// What becomes of a pixel: half of it is added, but not beyond white.
constexpr pixel lighter(pixel p) {
  const unsigned more = p + (p >> 1U);
  return static_cast<pixel>(more < 255 ? more : 255);
}

/// `run(from, to, n)` does to[i] = lighter(from[i]) for every i < n.
template <typename Run>
int measure(program& with, const Run& run) {
  std::vector<pixel> from(with.number("n"));
  std::uint64_t state = 1;
  for (pixel& p : from) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    p = static_cast<pixel>(state >> 56U);
  }
  std::vector<pixel> to(from.size());
  return with.measure({
      .units = static_cast<double>(from.size()),
      .prepare = [&] { to.assign(to.size(), 0); },
      .run = [&] { return timed([&] { run(from.data(), to.data(), from.size()); }); },
      .verify =
          [&] {
            for (std::size_t i = 0; i < to.size(); ++i) {
              if (to[i] != lighter(from[i])) return "pixel " + std::to_string(i) + " is wrong";
            }
            return std::string();
          },
  });
}

}  // namespace bench::bytes
