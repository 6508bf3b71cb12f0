#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../common/program.hpp"
#include "../common/spin_clock.hpp"

namespace bench::phases {

inline const workload about{
    "phases",
    "phase",
    {{"phases", "1500", "50", "how many parallel loops, serial code before each"},
     {"gap", "100", "20", "microseconds that the serial code takes"},
     {"items", "2", "2", "items of a loop, for each worker"},
     {"item", "20", "2", "microseconds that an item keeps its worker busy"}}};

/// `run(n, body)` calls body(i) for every i < n, in parallel. Only that is measured.
template <typename Run>
int measure(program& with, const Run& run) {
  const spin_clock clock;
  const auto gap = clock.ticks(static_cast<double>(with.number("gap")));
  const auto item = clock.ticks(static_cast<double>(with.number("item")));
  const std::size_t phases = with.number("phases");
  std::vector<std::size_t> runs(with.number("items") * with.workers());
  return with.measure({
      .units = static_cast<double>(phases),
      .prepare = [&] { runs.assign(runs.size(), 0); },
      .run =
          [&] {
            double seconds = 0;
            for (std::size_t k = 0; k < phases; ++k) {
              spin_clock::spin(gap);
              seconds += timed([&] {
                run(runs.size(), [&](std::size_t i) {
                  spin_clock::spin(item);
                  ++runs[i];
                });
              });
            }
            return seconds;
          },
      .verify =
          [&] {
            for (std::size_t i = 0; i < runs.size(); ++i) {
              if (runs[i] != phases)
                return "item " + std::to_string(i) + " ran " + std::to_string(runs[i]) + " times";
            }
            return std::string();
          },
      .work_seconds = 1e-6 * static_cast<double>(phases * runs.size() * with.number("item")),
  });
}

}  // namespace bench::phases
