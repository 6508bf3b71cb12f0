#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/workload.hpp>

#include "comparison_forecasts.hpp"
#include "progress_bar.hpp"
#include "speedup.hpp"

namespace evencube::cli {

/// From this number of tasks per worker on, a strategy could be as good as the best.
inline constexpr double enough_tasks = 20;
/// A strategy counts as the best up to this multiple of the best strategy's time.
inline constexpr double close_enough = 1.01;

/// The times of one way to run a program: a strategy of EvenCube, or another engine. Equal indices
/// in the lists of two contenders mean the same round of measuring, or the same draw of a forecast.
struct contender_times {
  std::string name;
  bool engine = false;               ///< true: another engine than EvenCube
  std::vector<double> seconds = {};  ///< empty: engines are not forecast
  spread speedup = {};               ///< serial time over the contender's time, round by round
  double over_best = 1;  ///< its median time over the median time of the cell's best strategy
};

/// All contenders for one placement of tasks, on one number of workers of one machine.
struct comparison_cell {
  std::string program;
  std::string machine = "equal";
  std::string placement;
  unsigned workers = 0;
  bool forecast = false;  ///< true: replayed, not run
  double tasks = 0;       ///< number of tasks of the program
  std::vector<contender_times> contenders;
  std::size_t best = 0;  ///< index of the strategy with the least median time; never an engine

  /// Whether the cell can tell strategies apart: it has several workers, and enough tasks for each.
  [[nodiscard]] bool counts() const { return workers > 1 && tasks >= enough_tasks * workers; }
};

/// How good a strategy is over the cells that count.
struct standing {
  std::string name;
  std::size_t cells = 0;
  std::size_t close = 0;   ///< number of cells where it is within `close_enough` of the best
  double most_behind = 1;  ///< its greatest time over the best strategy's time
  std::optional<std::size_t> where = {};  ///< cell of `most_behind`; none: best in all
};

struct comparison {
  std::vector<std::string> programs;
  unsigned repetitions = 0;  ///< number of rounds in measured cells; 0: there are no measured cells
  unsigned draws = 0;        ///< number of draws in forecasts; 0: there are no forecasts
  std::vector<std::string> strategies;
  std::vector<std::string> engines;
  std::vector<comparison_cell> cells;
  std::vector<standing> standings;  ///< one for each strategy
  checked check;                    ///< the last check; a failed one, if any failed

  [[nodiscard]] bool good() const { return not_failed(check); }
  [[nodiscard]] bool any(bool forecast) const;
};

struct comparison_plan {
  std::vector<runtime_options> strategies;  ///< at least one
  std::vector<std::string> engines;         ///< names from listed_engines
  std::vector<workloads::placement> placements;
  std::vector<unsigned> workers;
  std::vector<const forecast_machine*> machines;
  unsigned cores = 1;  ///< more workers are forecast: a run would show how they share cores
  unsigned repeat = 5;
  unsigned draws = 1;
  bool verify = true;

  /// Whether runs on `count` workers of machine `on` can be measured on this machine.
  [[nodiscard]] bool measured(const forecast_machine& on, unsigned count) const {
    return on.is_usual() && count <= cores;
  }
  [[nodiscard]] bool needs_forecasts() const;
};

/// Makes the workload for a placement of its tasks.
using workload_maker =
    std::function<std::unique_ptr<workloads::workload>(workloads::placement where)>;

/// Measures in rounds, one placement after another: first the serial twin, then all contenders on
/// each number of workers that the machine has cores for. Every other round has the reverse order,
/// so that a slow moment of the machine does not fall on one contender alone. If there are several
/// rounds, the first one does not count.
void measure_cells(const workload_maker& make, const comparison_plan& plan, progress_bar& progress,
                   comparison& made);

/// Replays the program for all cells that were not measured, for each machine by placement and
/// number of workers. The replay has the tasks' times as recorded, or `plan.draws` draws of the
/// times that the tasks may take in another run. All strategies get the same draws.
void forecast_cells(const recorded_program& program, const comparison_plan& plan,
                    progress_bar& progress, comparison& made);

/// Sorts the cells into the order in which they are shown, and computes the standings.
void finish(const comparison_plan& plan, comparison& made);

}  // namespace evencube::cli
