#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../common/program.hpp"
#include "pattern.hpp"
#include "search.hpp"

namespace bench::metg {

inline const workload about{
    "metg",
    "search",
    {{"pattern",
      "stencil",
      "stencil",
      "which tasks need which",
      {"none", "stencil", "fft", "tree", "random"}},
     {"each", "1", "1", "points of a step for each worker"},
     {"steps", "1000", "12", "steps of a run"},
     {"seed", "1", "1", "of the pattern random"},
     {"runs", "5", "1", "runs of each granularity, whose median counts"},
     {"percent", "50", "50", "the efficiency that is wanted"},
     {"most", "1048576", "16", "the most iterations of the kernel that are tried"}}};

/// Seconds of an iteration of the kernel in this process: the fastest of many short measurements.
inline double seconds_of_iteration() {
  constexpr std::uint64_t iterations = 100000;
  static double fastest = 1.0;
  std::uint64_t value = 1;
  for (int k = 0; k < 15; ++k) {
    fastest = std::min(fastest, timed([&] { value = kernel(value, iterations); }) /
                                    static_cast<double>(iterations));
  }
  asm volatile("" : : "r"(value));  // the result is used
  return fastest;
}

/// `prepared(results)` makes what can be kept from run to run, and returns `run`; it is not
/// measured. `run()` runs all tasks, each after those that it needs. One measurement is a search.
template <typename Prepared>
int measure(program& with, const Prepared& prepared) {
  const pattern shape(with.word("pattern"),
                      std::max<std::size_t>(1, with.number("each")) * with.workers(),
                      with.number("steps"), with.number("seed"));
  results values(shape);
  results right(shape);
  const auto run = prepared(values);
  std::map<std::uint64_t, std::vector<std::uint64_t>> expected;  // by iterations
  std::string wrong;
  found last;

  const auto sample_of = [&](std::uint64_t iterations, double iteration) {
    std::vector<std::uint64_t>& wanted = expected[iterations];
    if (wanted.empty()) {
      right.set_iterations(iterations);
      right.clear();
      right.run_all();
      wanted = right.all();
    }
    values.set_iterations(iterations);
    std::vector<double> seconds;
    for (std::uint64_t k = 0; k < std::max<std::uint64_t>(1, with.number("runs")); ++k) {
      values.clear();
      seconds.push_back(timed([&] { run(); }));
      if (wrong.empty() && values.all() != wanted) {
        wrong = "a task is wrong with " + std::to_string(iterations) + " iterations";
      }
    }
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::ranges::nth_element(seconds, middle);
    const double granularity = *middle * with.workers() / static_cast<double>(shape.tasks());
    return sample{iterations, granularity,
                  iteration * static_cast<double>(iterations) / granularity};
  };
  return with.measure({
      .run =
          [&] {
            const double iteration = seconds_of_iteration();
            last = find_granularity(
                static_cast<double>(with.number("percent")) / 100, with.number("most"),
                [&](std::uint64_t iterations) { return sample_of(iterations, iteration); });
            return last.granularity;
          },
      .verify = [&] { return wrong; },
      .details =
          [&] {
            std::ostringstream text;
            text.precision(6);
            text << "\"tasks\": " << shape.tasks()
                 << ", \"reached\": " << (last.reached ? "true" : "false") << ", \"curve\": [";
            for (const sample& each : last.curve) {
              text << (&each == last.curve.data() ? "" : ", ")
                   << "{\"iterations\": " << each.iterations
                   << ", \"granularity\": " << each.granularity
                   << ", \"efficiency\": " << each.efficiency << "}";
            }
            text << "]";
            return text.str();
          },
  });
}

}  // namespace bench::metg
