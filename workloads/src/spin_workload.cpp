#include <chrono>
#include <cmath>
#include <stdexcept>

#include <evencube/evencube.hpp>

#include "spawning.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view spin_name = "spin";

void spin_for(std::chrono::nanoseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Tasks that do nothing but let their time pass, so that all that is missing from full efficiency
/// is the runtime's.
class spin_workload final : public workload {
 public:
  spin_workload(std::size_t tasks, std::chrono::nanoseconds duration, placement where)
      : duration_{duration}, where_{where}, runs_(tasks) {}

  [[nodiscard]] std::string_view name() const noexcept override { return spin_name; }

  void run_serial() override {
    for (std::size_t index = 0; index < runs_.size(); ++index) spin_for(duration_);
  }

  void reset() override {
    runs_.assign(runs_.size(), 0);
    ran_ = false;
  }

  void run(runtime& workers) override {
    workers.run([&] {
      task_group group;
      for (std::size_t index = 0; index < runs_.size(); ++index) {
        group.spawn([this, index] { spin(index); }, hints(where_, index, workers, 1, "spin"));
      }
      group.wait();
    });
    ran_ = true;
  }

  void run_by(const task_loop& loop, unsigned /*threads*/) override {
    loop(runs_.size(), [this](std::size_t index) { spin(index); });
    ran_ = true;
  }

  [[nodiscard]] std::string problem() const override {
    return std::to_string(runs_.size()) + (runs_.size() == 1 ? " task" : " tasks");
  }

  [[nodiscard]] std::uint64_t tasks() const noexcept override { return runs_.size(); }

  [[nodiscard]] verification verify() const override {
    if (!ran_) throw std::logic_error{"nothing to check: run() comes first"};
    return check_run_once(runs_);
  }

 private:
  void spin(std::size_t index) {
    spin_for(duration_);
    ++runs_[index];
  }

  std::chrono::nanoseconds duration_;
  placement where_;
  std::vector<std::uint32_t> runs_;
  bool ran_ = false;
};

}  // namespace

verification check_run_once(const std::vector<std::uint32_t>& runs) {
  for (std::size_t index = 0; index < runs.size(); ++index) {
    if (runs[index] != 1) {
      return {false, "task " + std::to_string(index) + " ran " + std::to_string(runs[index]) +
                         " times instead of once"};
    }
  }
  return {true, "every task ran exactly once"};
}

workload_entry spin_entry() {
  constexpr std::int64_t most_tasks = 100'000'000;
  return {std::string{spin_name},
          "tasks that spin until their time has passed on the clock",
          "",
          {{"size", "number of tasks", whole_option{4096, 1, most_tasks}},
           {"task-us", "microseconds per task", real_option{10, 0, 1e6}}},
          [](const option_values& options) {
            const std::chrono::nanoseconds each{std::llround(options.real("task-us") * 1000)};
            const std::uint64_t alone = options.whole("size");
            const std::uint64_t tasks =
                grown_within(alone, options.times(), alone * options.times(), most_tasks);
            return std::make_unique<spin_workload>(tasks, each, options.where());
          },
          "there are --size tasks for every worker"};
}

}  // namespace evencube::workloads
