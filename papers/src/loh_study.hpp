#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <evencube/simulator/presets.hpp>

#include "kit.hpp"

/// The simulations of Loh et al. 1996: five strategies on four networks in two settings, under any
/// reading of the points that the paper leaves open.
namespace evencube::papers {

using simulator::loh_reading;

/// The one reading that gives the most pairs of the paper's order in all cells of Tables 2 and 3
/// together, found by the search that `reproduce loh-table-2-3 --long` repeats.
inline constexpr loh_reading best_loh_reading{.high = 105,
                                              .light = 95,
                                              .low = 6,
                                              .pause = 5,
                                              .interval = 5,
                                              .gradient_portion = "0.75",
                                              .dispatcher_portion = "0.5",
                                              .prediction_portion = "0.25",
                                              .rounding = "nearest",
                                              .predicted = true,
                                              .one_broadcast = false,
                                              .relay = 0.01};

struct loh_name {
  const char* text;  ///< for topology::parse or the registry
  const char* label;
};
inline constexpr std::array loh_networks{
    loh_name{"mesh:4x4", "mesh"}, loh_name{"hypercube:4", "cube"},
    loh_name{"fibonacci-composite:16", "fibonacci"}, loh_name{"linear:16", "line"}};
inline constexpr std::array loh_strategies{
    loh_name{"gradient", "GM"}, loh_name{"sender_initiated", "SI"},
    loh_name{"receiver_initiated", "RI"}, loh_name{"dispatcher", "LBC"},
    loh_name{"prediction", "Pred"}};
inline constexpr std::array loh_settings{"stable", "unstable"};
inline constexpr node_id loh_nodes = 16;

/// A strategy on a network in a setting, as indices into the arrays above.
struct loh_cell {
  std::size_t setting;
  std::size_t network;
  std::size_t strategy;

  [[nodiscard]] const char* network_label() const { return loh_networks[network].label; }
  [[nodiscard]] const char* strategy_label() const { return loh_strategies[strategy].label; }
};

/// All cells, setting by setting, network by network.
[[nodiscard]] inline std::vector<loh_cell> all_loh_cells() {
  std::vector<loh_cell> cells;
  for (std::size_t setting = 0; setting < loh_settings.size(); ++setting) {
    for (std::size_t network = 0; network < loh_networks.size(); ++network) {
      for (std::size_t k = 0; k < loh_strategies.size(); ++k)
        cells.push_back({setting, network, k});
    }
  }
  return cells;
}

/// Tables 2 and 3 of the paper, milliseconds: [setting][network][strategy], no balancing, optimum.
inline constexpr double loh_printed[2][4][5] = {{{29683, 29460, 28784, 30084, 30428},
                                                 {29547, 28960, 28507, 29900, 30206},
                                                 {29666, 29371, 28644, 29781, 30064},
                                                 {30896, 30420, 30297, 30131, 30690}},
                                                {{31962, 31573, 30788, 31075, 31419},
                                                 {31815, 31515, 30334, 30840, 31236},
                                                 {31907, 31558, 30412, 30686, 31005},
                                                 {32454, 32410, 31302, 31119, 31654}}};
inline constexpr double loh_printed_without[2] = {32529, 35498};
inline constexpr double loh_printed_optimum = 28162;

/// Pi, the performance, from the paper's tables.
[[nodiscard]] constexpr double loh_printed_pi(const loh_cell& at) {
  return (loh_printed_without[at.setting] - loh_printed[at.setting][at.network][at.strategy]) /
         (loh_printed_without[at.setting] - loh_printed_optimum);
}

/// One simulation, and the times of the same tasks without balancing. All times are in seconds.
struct loh_run {
  double performance = 0;  ///< Pi
  double makespan = 0;
  double without = 0;
  double optimum = 0;
  double stabilised = 0;
  double overhead = 0;
  double moved = 0;
};

inline constexpr unsigned all_loh_strategies = 31;

/// What the unstable setting begins with, of which the paper says that some processors are heavily
/// loaded and others can have no task.
enum class unstable_loads : std::uint8_t {
  weighted,  ///< tasks fall on processors by random weights
  one_empty  ///< one processor is empty, and tasks fall on the others at random
};

/// The loads that a setting begins with.
[[nodiscard]] std::vector<load_type> loh_initial_loads(std::size_t setting, unstable_loads unstable,
                                                       std::uint64_t seed);

/// How far a reading is from the tables: the pairs of strategies that stand in another order than
/// in the paper, over all cells, and the root mean square difference of Pi.
struct loh_distance {
  std::size_t wrong_pairs = ~std::size_t{0};
  double error = 0;

  [[nodiscard]] bool operator<(const loh_distance& other) const {
    return wrong_pairs != other.wrong_pairs ? wrong_pairs < other.wrong_pairs : error < other.error;
  }
};

/// Every run of one reading: [setting][network][strategy][run].
class loh_study {
 public:
  loh_study(std::uint64_t seed, std::size_t runs, unstable_loads unstable);

  /// Simulates the strategies whose bit is set in `which` under the reading.
  void simulate(const loh_reading& reading, unsigned which, notebook& book, double share);

  /// The runs of a cell.
  [[nodiscard]] std::span<const loh_run> runs_of(const loh_cell& at) const {
    return {&cells_[first_run(at)], runs_};
  }
  /// A summary of one quantity over the runs of a cell.
  [[nodiscard]] simulator::summary of(const loh_cell& at, double loh_run::* quantity) const;

  /// Mean Pi.
  [[nodiscard]] double pi(const loh_cell& at) const { return of(at, &loh_run::performance).mean; }
  /// Mean Pi of the stable setting if all nodes began with equally many tasks at no cost: the most
  /// that counting tasks once can gain.
  [[nodiscard]] double levelled_at_start() const;
  /// The distance from both tables.
  [[nodiscard]] loh_distance distance() const;

 private:
  [[nodiscard]] std::size_t first_run(const loh_cell& at) const {
    return ((at.setting * loh_networks.size() + at.network) * loh_strategies.size() + at.strategy) *
           runs_;
  }

  std::uint64_t seed_;
  std::size_t runs_;
  unstable_loads unstable_;
  std::vector<loh_run> cells_;
  // Per setting and run without balancing: makespan and optimum.
  std::vector<std::array<double, 2>> plain_;
};

/// A value of a parameter, with the distance of the nearest reading that has it.
struct loh_trial {
  std::string parameter;
  std::string value;
  loh_distance nearest;
  bool taken = false;
};

/// The search for the reading that fits best, over all combinations of the values that are tried:
/// the one with the fewest wrong pairs, of several the one with the least error.
struct loh_search {
  std::vector<loh_trial> trials;
  std::size_t combinations = 0;
  loh_reading found;
  loh_distance distance;
};
[[nodiscard]] loh_search search_loh_reading(loh_study& study, notebook& book, double share);

/// The values of a reading, each with the parameter that it belongs to.
[[nodiscard]] std::vector<parameter> parameters_of(const loh_reading& reading);

}  // namespace evencube::papers
