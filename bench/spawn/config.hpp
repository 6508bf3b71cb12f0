#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "../common/program.hpp"
#include "../common/tally.hpp"

namespace bench::spawn {

inline const workload about{"spawn",
                            "task",
                            {{"n", "10000000", "10000", "how many tasks"},
                             {"batch", "0", "0", "how many are waited for at a time; 0: all"},
                             {"from",
                              "inside",
                              "inside",
                              "who makes the tasks: a worker or a thread of the user's",
                              {"inside", "outside"}}}};

/// Has n tasks made, `batch` at a time: `some(k)` makes k of them and waits for these.
template <typename Some>
void in_batches(std::uint64_t n, std::uint64_t batch, const Some& some) {
  for (std::uint64_t rest = n, now = 0; rest != 0; rest -= now) {
    now = batch == 0 ? rest : std::min(rest, batch);
    some(now);
  }
}

/// `inside(n, batch)` makes n tasks in a worker, `outside(n, batch)` in a thread that is none; each
/// task only calls tally::count, and both return when all have run.
template <typename Inside, typename Outside>
int measure(program& with, const Inside& inside, const Outside& outside) {
  const std::uint64_t n = with.number("n");
  const std::uint64_t batch = with.number("batch");
  const bool from_outside = with.word("from") == "outside";
  return with.measure({
      .units = static_cast<double>(n),
      .run = [&] { return timed([&] { from_outside ? outside(n, batch) : inside(n, batch); }); },
      .verify =
          [&] {
            const std::uint64_t ran = tally::take();
            return ran == n ? "" : std::to_string(ran) + " tasks ran";
          },
  });
}

}  // namespace bench::spawn
