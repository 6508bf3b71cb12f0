#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <evencube/evencube.hpp>
#include <evencube/workloads/carried.hpp>
#include <evencube/workloads/workload.hpp>

#include "spawning.hpp"

namespace evencube::workloads {

/// Carries out task `index` of a stage.
using stage_task = std::function<void(std::size_t index)>;

/// The number of quanta of work in task `index`, as far as it is known before the task runs.
using stage_cost = std::function<std::uint32_t(std::size_t index)>;

/// Carries out the stages of a program: by a plain loop, the runtime, or another engine. The tasks
/// of one stage do not depend on each other; a stage begins when the stage before has ended.
class stages {
 public:
  using engine = std::function<void(std::size_t, const stage_task&, const stage_cost&)>;

  /// `in_tasks`: whether `by` runs the stages as tasks of the runtime.
  explicit stages(engine by, bool in_tasks = false) : by_{std::move(by)}, in_tasks_{in_tasks} {}

  void operator()(
      std::size_t tasks, const stage_task& task,
      const stage_cost& cost = [](std::size_t) { return std::uint32_t{1}; }) {
    by_(tasks, task, cost);
    tasks_ += tasks;
  }

  /// Whether a task may use the runtime's algorithms.
  [[nodiscard]] bool in_tasks() const noexcept { return in_tasks_; }

  /// The number of tasks in all stages so far.
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }

 private:
  engine by_;
  bool in_tasks_;
  std::uint64_t tasks_ = 0;
};

/// The number of quanta for the runtime: `work` divided by `unit`, at least 1.
[[nodiscard]] constexpr std::uint32_t quanta(std::uint64_t work, std::uint64_t unit) noexcept {
  constexpr std::uint64_t most = 65536;
  const std::uint64_t whole = work / unit;
  return static_cast<std::uint32_t>(whole < 1 ? 1 : whole > most ? most : whole);
}

/// A program that consists of stages. Its result does not depend on the engine that carries them
/// out.
template <typename Program>
concept staged_program = requires(const Program& program, typename Program::result& made,
                                  const typename Program::result& done, stages& by) {
  /// The number of tasks as far as it is known before the first run.
  { program.expected_tasks() } -> std::convertible_to<std::uint64_t>;
  /// A result with touched memory that cannot pass for a right result.
  { program.blank() } -> std::same_as<typename Program::result>;
  program.compute(made, by);
  /// Compares the serial and the parallel result.
  { program.check(done, done) } -> std::same_as<verification>;
};

/// Makes a workload of a staged program. If the program has write(result, file), there is an
/// output.
template <staged_program Program>
class staged_workload final : public workload {
 public:
  staged_workload(std::string_view name, placement where, Program program)
      : name_{name}, where_{where}, program_{std::move(program)} {
    tasks_ = program_.expected_tasks();
  }

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  void run_serial() override {
    if (!ran_serially_) serial_ = program_.blank();
    stages by{[](std::size_t tasks, const stage_task& task, const stage_cost&) {
      for (std::size_t index = 0; index < tasks; ++index) task(index);
    }};
    program_.compute(serial_, by);
    ran_serially_ = true;
  }

  void reset() override {
    ran_ = false;
    parallel_ = {};
    parallel_ = program_.blank();
  }

  void run(runtime& workers) override {
    stages by{[&](std::size_t tasks, const stage_task& task, const stage_cost& cost) {
                const trace_region stage("stage");
                trace_counter("tasks of a stage", static_cast<double>(tasks));
                task_group group;
                // A worker begins with the newest task. So the parts run in the order of memory, in
                // which processors fetch ahead.
                for (std::size_t index = tasks; index-- > 0;) {
                  group.spawn([&task, index] { task(index); },
                              hints(where_, index, workers, cost(index), "part"));
                }
                group.wait();
              },
              true};
    workers.run([&] { program_.compute(parallel_, by); });
    ended(by);
  }

  void run_by(const task_loop& loop, unsigned /*threads*/) override {
    stages by{[&](std::size_t tasks, const stage_task& task, const stage_cost&) {
      if (tasks != 0) loop(tasks, task);
    }};
    program_.compute(parallel_, by);
    ended(by);
  }

  /// Begins a run of a program that has run_carried(result, ended), whose `ended` is called with
  /// the number of tasks.
  [[nodiscard]] std::unique_ptr<carried_run> run_carried() override {
    if constexpr (requires {
                    program_.run_carried(parallel_, std::function<void(std::uint64_t)>{});
                  }) {
      ran_ = false;
      return program_.run_carried(parallel_, [this](std::uint64_t tasks) {
        tasks_ = tasks;
        ran_ = true;
      });
    } else {
      return workload::run_carried();
    }
  }

  [[nodiscard]] std::uint64_t tasks() const noexcept override { return tasks_; }

  [[nodiscard]] verification verify() const override {
    if (!ran_serially_ || !ran_) {
      throw std::logic_error{"nothing to compare: run_serial() and run() come first"};
    }
    return program_.check(serial_, parallel_);
  }

  [[nodiscard]] bool has_output() const noexcept override { return writes; }

  void write_output(const std::filesystem::path& file) const override {
    if constexpr (writes) {
      if (!ran_) throw std::logic_error{"nothing to write: run() comes first"};
      program_.write(parallel_, file);
    } else {
      workload::write_output(file);
    }
  }

 private:
  using result = typename Program::result;
  static constexpr bool writes =
      requires(const Program& program, const result& done, const std::filesystem::path& file) {
        program.write(done, file);
      };

  void ended(const stages& by) {
    tasks_ = by.tasks();
    ran_ = true;
  }

  std::string name_;
  placement where_;
  Program program_;
  result serial_;
  result parallel_;
  std::uint64_t tasks_ = 0;
  bool ran_serially_ = false;
  bool ran_ = false;
};

/// Makes a staged program's workload for its registry entry.
template <staged_program Program>
[[nodiscard]] std::unique_ptr<workload> make_staged(std::string_view name,
                                                    const option_values& options, Program program) {
  return std::make_unique<staged_workload<Program>>(name, options.where(), std::move(program));
}

}  // namespace evencube::workloads
