#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../common/stepped.hpp"

namespace bench::particles {

inline const workload about{
    "particles",
    "cell and step",
    {{"cells", "2048", "64", "cells in a row"}, {"steps", "100", "5", "time steps"}}};

inline constexpr std::size_t most = 96;

struct particle {
  double place;
  double speed;
};

/// Cells of a row with a swarm that moves along it: from 4 to 96 particles in a cell, each of which
/// is pushed by all the others there.
template <typename Loop>
int measure(program& with, Loop& loop) {
  const std::size_t cells = with.number("cells");
  const std::size_t steps = with.number("steps");
  std::vector<std::vector<particle>> in(cells);
  const auto reset = [&](const auto& over) {
    over(cells, [&](std::size_t first, std::size_t last) {
      for (std::size_t c = first; c < last; ++c) {
        in[c].resize(most);
        for (std::size_t i = 0; i < most; ++i) {
          in[c][i] = {static_cast<double>((c * most + i) * 0x9e3779b97f4a7c15U >> 40U) * 0x1p-24,
                      0};
        }
      }
    });
  };
  const auto population = [&](std::size_t cell, std::size_t k) {
    const double centre = static_cast<double>(k * cells) / static_cast<double>(steps);
    const double away = (static_cast<double>(cell) - centre) / (static_cast<double>(cells) / 12);
    return 4 + static_cast<std::size_t>(static_cast<double>(most - 4) * std::exp(-away * away));
  };
  const auto step = [&](const auto& over, std::size_t k) {
    over(cells, [&](std::size_t first, std::size_t last) {
      for (std::size_t c = first; c < last; ++c) {
        particle* const here = in[c].data();
        const std::size_t n = population(c, k);
        for (std::size_t i = 0; i < n; ++i) {
          double push = 0;
          for (std::size_t j = 0; j < n; ++j) {
            const double d = here[i].place - here[j].place;
            push += d / (d * d + 0.01);
          }
          here[i].speed += 1e-6 * push;
        }
        for (std::size_t i = 0; i < n; ++i) here[i].place += here[i].speed;
      }
    });
  };
  return measure_steps(with, static_cast<double>(cells), steps, loop, reset, step, [&] {
    std::vector<double> all;
    for (const auto& cell : in) {
      for (const particle& p : cell) all.push_back(p.place);
    }
    return all;
  });
}

}  // namespace bench::particles
