#include "recorded_trace.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <evencube/detail/task.hpp>
#include <evencube/interop/trace_of.hpp>

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

}  // namespace evencube::cli
