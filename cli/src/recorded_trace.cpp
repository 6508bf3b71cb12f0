#include "recorded_trace.hpp"

#include <string>

#include <evencube/detail/task.hpp>
#include <evencube/interop/trace_of.hpp>

namespace evencube::cli {

traces::trace trace_of(const recording& take, const runtime& workers, const std::string& workload,
                       const runtime_options& options, const machine_costs& costs) {
  static_assert(recording::none == simulator::no_task);
  static_assert(traces::most_task_cost == evencube::detail::max_cost);
  traces::trace made = traces::trace_of(take, workers, options, workload);
  made.costs = costs;
  return made;
}

}  // namespace evencube::cli
