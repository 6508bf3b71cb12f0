#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "console.hpp"

namespace evencube::cli {

/// One of the last tasks of a replay.
struct late_task {
  simulator::task_id task;
  std::string name;
  simulator::task_story story;
};

/// A strategy in a cell: where the workers' time went.
struct explained_run {
  std::string strategy;
  double makespan = 0;
  simulator::node_time mean;    ///< over the workers; the parts add up to the makespan
  std::vector<late_task> last;  ///< by their end, the last first
  std::vector<simulator::node_time> workers;
};

/// Why the default strategy is behind the best in a cell.
struct explanation {
  std::size_t cell = 0;
  explained_run own;
  explained_run best;
  std::vector<std::string> findings;  ///< whole sentences, what costs most first
};

/// Replays the default strategy and the best in every cell that counts and where the default is
/// more than `close_enough` behind. A cell that was measured is explained by the replay of
/// `programs`. Nothing if the default is not among the strategies.
[[nodiscard]] std::vector<explanation> explain_exceptions(
    const comparison& made, const comparison_plan& plan,
    const std::vector<recorded_program>& programs);

[[nodiscard]] json to_json(const explanation& one, const comparison& made);
[[nodiscard]] std::string to_text(const explanation& one, const comparison& made);

}  // namespace evencube::cli
