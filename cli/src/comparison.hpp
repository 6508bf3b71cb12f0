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

/// Tasks for each worker from which on a strategy could be as good as the best.
inline constexpr double enough_tasks = 20;
/// Of the best strategy's time: what is no further off counts as the best.
inline constexpr double close_enough = 1.01;

/// One way to run a program: a strategy of EvenCube, or another engine. The same index of the list
/// is the same round of measuring, or the same draw of a forecast.
struct contender_times {
  std::string name;
  bool engine = false;               ///< other than EvenCube
  std::vector<double> seconds = {};  ///< empty: engines are not forecast
  spread speedup = {};               ///< of serial over its time, round by round
  double over_best = 1;              ///< its median time over that of the cell's best strategy
};

/// All contenders where tasks begin in one way on one number of workers of one machine.
struct comparison_cell {
  std::string program;
  std::string machine = "equal";
  std::string placement;
  unsigned workers = 0;
  bool forecast = false;  ///< replayed, not run
  double tasks = 0;       ///< of the program
  std::vector<contender_times> contenders;
  std::size_t best = 0;  ///< the strategy of least median time; no engine

  /// Whether it asks anything of a strategy: more than one worker, and enough tasks for each.
  [[nodiscard]] bool counts() const { return workers > 1 && tasks >= enough_tasks * workers; }
};

/// How a strategy stands over the cells that count.
struct standing {
  std::string name;
  std::size_t cells = 0;
  std::size_t close = 0;                  ///< of them within `close_enough` of the best
  double most_behind = 1;                 ///< its greatest time over the best's
  std::optional<std::size_t> where = {};  ///< the cell of that; none: it is the best in all
};

struct comparison {
  std::vector<std::string> programs;
  unsigned repetitions = 0;  ///< of measured cells; 0: there are none
  unsigned draws = 0;        ///< of forecasts; 0: there are none
  std::vector<std::string> strategies;
  std::vector<std::string> engines;
  std::vector<comparison_cell> cells;
  std::vector<standing> standings;  ///< by strategy
  checked check;                    ///< the last; a failed one, if any failed

  [[nodiscard]] bool good() const { return not_failed(check); }
  [[nodiscard]] bool any(bool forecast) const;
};

struct comparison_plan {
  std::vector<runtime_options> strategies;  ///< at least one
  std::vector<std::string> engines;         ///< as of listed_engines
  std::vector<workloads::placement> placements;
  std::vector<unsigned> workers;
  std::vector<const forecast_machine*> machines;
  unsigned cores = 1;  ///< with more workers a run would show how they share cores: forecasts
  unsigned repeat = 5;
  unsigned draws = 1;
  bool verify = true;

  /// On this machine, as far as it goes.
  [[nodiscard]] bool measured(const forecast_machine& on, unsigned count) const {
    return on.is_usual() && count <= cores;
  }
  [[nodiscard]] bool needs_forecasts() const;
};

/// Makes the workload for a placement.
using workload_maker =
    std::function<std::unique_ptr<workloads::workload>(workloads::placement where)>;

/// Measures in rounds, one placement after the other: the serial twin, then all contenders on each
/// number of workers that the machine has cores for, in reverse order every other round, so that a
/// slow moment of the machine does not fall on one of them alone. Where there is a second round,
/// the first does not count.
void measure_cells(const workload_maker& make, const comparison_plan& plan, progress_bar& progress,
                   comparison& made);

/// Replays the program where nothing was measured, all cells of a machine by placement and workers:
/// as it was recorded, or so many draws of how it may go another time, the same for all strategies.
void forecast_cells(const recorded_program& program, const comparison_plan& plan,
                    progress_bar& progress, comparison& made);

/// In the order in which they are shown, with their standings.
void finish(const comparison_plan& plan, comparison& made);

}  // namespace evencube::cli
