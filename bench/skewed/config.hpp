#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/program.hpp"
#include "../common/spin_clock.hpp"

namespace bench::skewed {

inline const workload about{
    "skewed",
    "task",
    {{"tasks", "4096", "256", "how many tasks, all made on worker 0"},
     {"quantum", "10", "1", "microseconds that a task keeps its worker busy"},
     {"head",
      "no",
      "no",
      "whether the first 32nd part of the tasks is 32 times as long",
      {"no", "yes"}},
     {"mixed", "no", "no", "whether every tenth task is 100 times as long", {"no", "yes"}},
     {"hints", "no", "no", "whether tasks say so, to those who listen", {"no", "yes"}}}};

/// The tasks, and the record of which have run.
class tasks {
 public:
  explicit tasks(const program& with) : runs_(with.number("tasks")) {
    const spin_clock clock;
    const auto quantum = static_cast<double>(with.number("quantum"));
    const std::size_t head = with.word("head") == "yes" ? runs_.size() / 32 : 0;
    mixed_ = with.word("mixed") == "yes";
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const double microseconds = (i < head ? 32.0 : is_long(i) ? times : 1) * quantum;
      ticks_.push_back(clock.ticks(microseconds));
      seconds_ += 1e-6 * microseconds;
    }
  }

  /// How many times as long a long one of mixed tasks is.
  static constexpr std::uint32_t times = 100;
  [[nodiscard]] bool is_long(std::size_t i) const { return mixed_ && i % 10 == 9; }

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  /// Work in all of them together.
  [[nodiscard]] double seconds() const { return seconds_; }

  /// Task i: spins until its time has passed.
  void run(std::size_t i) {
    spin_clock::spin(ticks_[i]);
    ++runs_[i];
  }

  void forget() { runs_.assign(runs_.size(), 0); }
  [[nodiscard]] std::string wrong() const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i] != 1) {
        return "task " + std::to_string(i) + " ran " + std::to_string(runs_[i]) + " times";
      }
    }
    return "";
  }

 private:
  std::vector<std::uint64_t> ticks_;
  std::vector<std::uint32_t> runs_;
  double seconds_ = 0.0;
  bool mixed_ = false;
};

/// `run(all)` makes a task of each all.run(i), in order, on worker 0, and waits for them.
template <typename Run>
int measure(program& with, const Run& run) {
  tasks all(with);
  return with.measure({
      .units = static_cast<double>(all.size()),
      .prepare = [&] { all.forget(); },
      .run = [&] { return timed([&] { run(all); }); },
      .verify = [&] { return all.wrong(); },
      .work_seconds = all.seconds(),
  });
}

}  // namespace bench::skewed
