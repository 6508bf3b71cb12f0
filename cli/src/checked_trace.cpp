#include "checked_trace.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "failure.hpp"

namespace evencube::cli {

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
