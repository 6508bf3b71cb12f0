#pragma once

#include <cstdint>
#include <string>

#include "../common/program.hpp"
#include "../common/tally.hpp"

namespace bench::spawn {

inline const workload about{"spawn",
                            "task",
                            {{"n", "10000000", "10000", "how many tasks"},
                             {"from",
                              "inside",
                              "inside",
                              "who makes the tasks: a worker or a thread of the user's",
                              {"inside", "outside"}}}};

/// `inside(n)` makes n tasks in a worker, `outside(n)` in a thread that is none; each task only
/// calls tally::count, and both return when all have run.
template <typename Inside, typename Outside>
int measure(program& with, const Inside& inside, const Outside& outside) {
  const std::uint64_t n = with.number("n");
  const bool from_outside = with.word("from") == "outside";
  return with.measure({
      .units = static_cast<double>(n),
      .run = [&] { return timed([&] { from_outside ? outside(n) : inside(n); }); },
      .verify =
          [&] {
            const std::uint64_t ran = tally::take();
            return ran == n ? "" : std::to_string(ran) + " tasks ran";
          },
  });
}

}  // namespace bench::spawn
