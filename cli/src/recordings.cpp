#include "recordings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <evencube/detail/task.hpp>
#include <evencube/interop/trace_of.hpp>

#include "failure.hpp"
#include "measurement.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {

traces::trace trace_of(const recording& take, const runtime& workers, const std::string& workload,
                       const runtime_options& options, const machine_costs& costs) {
  static_assert(recording::none == simulator::no_task);
  static_assert(traces::most_task_cost == evencube::detail::max_cost);
  traces::trace made = traces::trace_of(take, workers, options, workload);
  made.costs = costs;
  return made;
}

traces::trace record(workloads::workload& work, const runtime_options& options,
                     const machine_costs& costs) {
  const auto workers = start_runtime(options);
  const sample recorded = run_once(work, *workers, false, true);
  return trace_of(recorded.take, *workers, std::string{work.name()}, options, costs);
}

traces::trace median_trace(std::vector<traces::trace> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::ranges::nth_element(all, middle, {}, &traces::trace::makespan);
  return std::move(*middle);
}

double checked_trace::forecast_error() const {
  const double real = static_cast<double>(source.makespan) * 1e-9;
  return std::abs(recorded.outcome.makespan - real) / real;
}

checked_trace read_checked_trace(const std::string& file) {
  checked_trace made;
  try {
    made.source = traces::read_trace(file);
    if (made.source.tasks.empty() || made.source.makespan == 0) {
      throw std::invalid_argument("the trace holds no work");
    }
    made.program = simulator::program_of(made.source);
    made.recorded = {simulator::recorded_configuration(made.source), true, {}};
    made.recorded.outcome = simulator::replay(made.program, made.recorded.configuration);
    made.rounds = simulator::check_rounds(made.source);
  } catch (const traces::trace_error& problem) {
    throw usage_error(problem.what());
  } catch (const std::invalid_argument& problem) {
    throw usage_error(fmt::format("{}: {}", file, problem.what()));
  }
  return made;
}

}  // namespace evencube::cli
