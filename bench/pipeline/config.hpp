#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../common/program.hpp"

namespace bench::pipeline {

inline const workload about{"pipeline",
                            "item",
                            {{"n", "1000000", "2000", "how many items"},
                             {"rounds", "20", "20", "steps of work in the parallel stage"},
                             {"tokens", "16", "16", "items under way at a time, for each worker"}}};

/// The parallel stage: some nanoseconds for each round, which depend on one another.
inline std::uint64_t work(std::uint64_t item, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) item = (item ^ (item >> 29U)) * 0x9e3779b97f4a7c15U;
  return item;
}

/// The last stage, in order: what comes in another one gives another sum.
inline std::uint64_t add(std::uint64_t sum, std::uint64_t item) { return sum * 31U + item; }

/// What each stage needs to know.
struct shape {
  std::uint64_t items;
  std::uint64_t rounds;
  std::size_t tokens;
};

/// `run(shape)` sends the items 0, 1, ... through `work` and folds them by `add`.
template <typename Run>
int measure(program& with, const Run& run) {
  const shape all{with.number("n"), with.number("rounds"), with.number("tokens") * with.workers()};
  std::uint64_t right = 0;
  for (std::uint64_t i = 0; i < all.items; ++i) right = add(right, work(i, all.rounds));
  std::uint64_t result = 0;
  return with.measure({
      .units = static_cast<double>(all.items),
      .run = [&] { return timed([&] { result = run(all); }); },
      .verify = [&] { return result == right ? "" : "the sum is " + std::to_string(result); },
  });
}

}  // namespace bench::pipeline
