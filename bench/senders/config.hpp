#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexec/execution.hpp>
#include <string>
#include <vector>

#include "../common/program.hpp"
#include "../common/spin_clock.hpp"

namespace bench::senders {

inline const workload about{
    "senders",
    "item",
    {{"items", "8192", "64", "how many items a bulk has, or how many round trips are made"},
     {"quantum", "1", "1", "microseconds that an item of cost 1 keeps its worker busy"},
     {"costs",
      "head",
      "head",
      "what the items cost: the first quarter 10 and the others 1; by a Pareto distribution; or 1",
      {"head", "pareto", "equal"}},
     {"by",
      "bulk",
      "bulk",
      "one bulk of all items, or schedule | then for each, one after the other, without work",
      {"bulk", "schedule"}}}};

/// The items, and the record of which have run.
class items {
 public:
  explicit items(const program& with) : runs_(with.number("items")) {
    const spin_clock clock;
    const auto quantum = static_cast<double>(with.number("quantum"));
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      double cost = 1;
      if (with.word("costs") == "head" && i < runs_.size() / 4) cost = 10;
      if (with.word("costs") == "pareto") {
        // Exponent 1.5, a mean near 1.5, no item longer than 100.
        state = state * 6364136223846793005U + 1442695040888963407U;
        const double drawn = (static_cast<double>(state >> 11U) + 1) * 0x1p-53;
        cost = std::min(100.0, 0.5 / std::pow(drawn, 1 / 1.5));
      }
      ticks_.push_back(clock.ticks(cost * quantum));
      seconds_ += 1e-6 * cost * quantum;
    }
  }

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  /// Work in all of them together.
  [[nodiscard]] double seconds() const { return seconds_; }

  void run(std::size_t i) {
    spin_clock::spin(ticks_[i]);
    ++runs_[i];
  }
  void pass(std::size_t i) { ++runs_[i]; }

  void forget() { runs_.assign(runs_.size(), 0); }
  [[nodiscard]] std::string wrong() const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i] != 1) {
        return "item " + std::to_string(i) + " ran " + std::to_string(runs_[i]) + " times";
      }
    }
    return "";
  }

 private:
  std::vector<std::uint64_t> ticks_;
  std::vector<std::uint32_t> runs_;
  double seconds_ = 0.0;
};

/// Runs the items on a scheduler, from a thread outside of it.
template <typename Scheduler>
int measure(program& with, const Scheduler& scheduler) {
  items all(with);
  const bool in_bulk = with.word("by") == "bulk";
  const auto run = [&] {
    if (in_bulk) {
      stdexec::sync_wait(
          stdexec::schedule(scheduler) |
          stdexec::bulk(stdexec::par, all.size(), [&all](std::size_t i) { all.run(i); }));
      return;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      stdexec::sync_wait(stdexec::schedule(scheduler) | stdexec::then([&all, i] { all.pass(i); }));
    }
  };
  return with.measure({
      .units = static_cast<double>(all.size()),
      .prepare = [&] { all.forget(); },
      .run = [&] { return timed(run); },
      .verify = [&] { return all.wrong(); },
      .work_seconds = in_bulk ? all.seconds() : 0,
  });
}

}  // namespace bench::senders
