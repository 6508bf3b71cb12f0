#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/workload.hpp>

#include "progress_bar.hpp"
#include "speedup.hpp"

namespace evencube::cli {

/// One way to run a workload: a strategy of EvenCube, or another engine. The same index of the
/// list is the same round of measuring.
struct contender_times {
  std::string name;
  bool engine = false;  ///< other than EvenCube
  std::vector<double> seconds = {};
  spread speedup = {};   ///< of serial over its time, round by round
  double over_best = 1;  ///< its median time over that of the cell's best strategy
};

/// All contenders where tasks begin in one way on one number of workers.
struct comparison_cell {
  std::string placement;
  unsigned workers = 0;
  std::vector<contender_times> contenders;
  std::size_t best = 0;  ///< the strategy of least median time; no engine
};

struct comparison {
  std::string workload;
  unsigned repetitions = 0;
  std::vector<std::string> strategies;
  std::vector<std::string> engines;
  std::vector<comparison_cell> cells;
  std::optional<workloads::verification> check;  ///< the last; a failed one, if any failed

  [[nodiscard]] bool good() const { return !check || check->passed; }
};

struct comparison_plan {
  std::vector<runtime_options> strategies;  ///< at least one
  std::vector<std::string> engines;         ///< as of listed_engines
  std::vector<workloads::placement> placements;
  std::vector<unsigned> workers;
  unsigned repeat = 1;
  bool verify = true;
};

/// Makes the workload for a placement.
using workload_maker =
    std::function<std::unique_ptr<workloads::workload>(workloads::placement where)>;

/// Measures in rounds, one placement after the other: the serial twin, then all contenders on each
/// number of workers, in reverse order every other round, so that a slow moment of the machine does
/// not fall on one of them alone. Where there is a second round, the first does not count.
[[nodiscard]] comparison compare_strategies(const workload_maker& make, const comparison_plan& plan,
                                            progress_bar& progress);

}  // namespace evencube::cli
