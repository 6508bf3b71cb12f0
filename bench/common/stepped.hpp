#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program.hpp"

namespace bench {

/// Measures `steps` steps of an engine's loop over [0, n) that runs again and again. `loop(n,
/// body)` calls `body(first, last)` for parts of [0, n). The loop belongs to one n.
///
/// Every measurement begins with the same state. `reset(loop)` makes that state by the loop, which
/// touches the data first; `step(loop, k)` does step k; `result()` is the state after the steps,
/// which must equal the state after the same steps without tasks, bit for bit.
template <typename Loop, typename Reset, typename Step, typename Result>
int measure_steps(program& with, double items, std::size_t steps, Loop& loop, const Reset& reset,
                  const Step& step, const Result& result) {
  const auto alone = [](std::size_t n, const auto& body) { body(std::size_t{0}, n); };
  std::vector<double> expected;
  return with.measure({
      .units = items * static_cast<double>(steps),
      .prepare = [&] { reset(loop); },
      .run =
          [&] {
            return timed([&] {
              for (std::size_t k = 0; k < steps; ++k) step(loop, k);
            });
          },
      .verify =
          [&] {
            const std::vector<double> found = result();
            if (expected.empty()) {
              reset(alone);
              for (std::size_t k = 0; k < steps; ++k) step(alone, k);
              expected = result();
            }
            for (std::size_t i = 0; i < found.size(); ++i) {
              if (found[i] != expected[i]) return "value " + std::to_string(i) + " is wrong";
            }
            return std::string();
          },
  });
}

}  // namespace bench
