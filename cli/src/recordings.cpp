#include "recordings.hpp"

#include <fmt/core.h>

#include <algorithm>
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

checked_trace read_checked_trace(const std::string& file) {
  try {
    return pages::check_trace(traces::read_trace(file));
  } catch (const traces::trace_error& problem) {
    throw usage_error(problem.what());
  } catch (const std::invalid_argument& problem) {
    throw usage_error(fmt::format("{}: {}", file, problem.what()));
  }
}

}  // namespace evencube::cli
