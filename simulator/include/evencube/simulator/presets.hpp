#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <evencube/detail/compiler.hpp>
#include <evencube/simulator/model.hpp>

namespace evencube::simulator {

/// The settings that a preset accepts. A setting with its default value leaves the preset's own
/// value unchanged.
struct preset_request {
  std::string_view topology = {};  ///< a network, as for topology::parse
  std::string_view balancer = {};  ///< name in the registry, "none" for no balancing
  std::uint64_t seed = 1;          ///< seed for random initial loads
  double load = 0;                 ///< > 0: offered utilisation per node
  double horizon = 0;              ///< > 0: end of the simulated time
};

/// A model together with the objects to which it points. A scenario's pointers stay valid when it
/// is moved.
struct scenario {
  std::unique_ptr<topology> graph;
  std::unique_ptr<balancer> strategy;
  std::unique_ptr<task_graph> program;
  model what;
};

/// A preset: its name, a one-line description, and the function that makes its scenario.
struct preset {
  std::string_view name;
  std::string_view summary;
  scenario (*make)(const preset_request& request);
};

/// Returns the presets: mm1-array, mmc, hot-spot, batch, fork-join, search-tree, rim-queueing,
/// loh-stable, loh-unstable, loh-stable-fitted, loh-unstable-fitted.
[[nodiscard]] EVENCUBE_EXPORT std::span<const preset> presets() noexcept;

/// Makes the preset called `name`. For an unknown preset, throws std::invalid_argument, whose
/// message names it and lists the known presets. Also throws if the topology or balancer is
/// invalid.
[[nodiscard]] EVENCUBE_EXPORT scenario make_preset(std::string_view name,
                                                   const preset_request& request = {});

/// Returns the costs of Loh et al. 1996 in seconds: 10 ms to compute a value, 10 ms to send and 10
/// ms to receive a message, 100 ms on each side to transfer one task.
[[nodiscard]] EVENCUBE_EXPORT cost_model loh_costs() noexcept;

/// Returns the initial loads of Loh et al. on `nodes` nodes: 100 tasks per node, which gives the
/// paper's 1600 tasks on 16 nodes. If `stable`, each task is on a random node. Otherwise each
/// node's share is in proportion to a random weight, uniform in (0, 1).
[[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loh_loads(bool stable, node_id nodes,
                                                               std::uint64_t seed);

/// The details that Loh et al. 1996 leave open: the times at which their strategies act, and the
/// sizes and costs of transfers. The paper prints no values for its simulations. The defaults are
/// the values of its worked examples (Figs. 2 and 3), the index as printed, and intervals and
/// portions chosen for this library.
struct loh_reading {
  load_type high = 10;  ///< GM, SI: a higher load is heavy
  load_type light = 6;  ///< GM: a lower load is light; LBC: a node with a lower load asks for work
  load_type low = 6;    ///< RI: a node with a lower load asks for work
  double pause = 5;     ///< least seconds between two actions of a node (GM, SI, RI, LBC)
  double interval = 5;  ///< seconds between actions of Pred
  std::string_view gradient_portion = "0.5";
  std::string_view dispatcher_portion = "0.5";
  std::string_view prediction_portion = "0.5";
  std::string_view rounding = "ceiling";  ///< for the portions that SI sends and RI requests
  /// If true, Pred compares queue length x service time instead of service times.
  bool predicted = false;
  /// If true, a broadcast by Pred costs one sent message instead of one per receiver.
  bool one_broadcast = false;
  /// The processor time, in seconds, that each task costs every node that only relays it (LBC,
  /// Pred).
  double relay = 0;
};

/// The reading whose Pi is nearest to Tables 2 and 3 over all cells, if the unstable loads are
/// those of loh_loads.
inline constexpr loh_reading best_loh_reading{.high = 105,
                                              .light = 95,
                                              .low = 6,
                                              .pause = 5,
                                              .interval = 20,
                                              .gradient_portion = "0.75",
                                              .dispatcher_portion = "0.4",
                                              .prediction_portion = "0.5",
                                              .rounding = "nearest",
                                              .predicted = true,
                                              .one_broadcast = true,
                                              .relay = 0.01};

/// Returns the balancing settings of a strategy as in Loh et al., with its trigger and the
/// information that it needs. Under GM, each change of a distance to a light node costs messages to
/// the neighbours.
[[nodiscard]] EVENCUBE_EXPORT balancing loh_balancing(const balancer& strategy,
                                                      const loh_reading& reading);

/// Makes the strategy `name` with the option values of the reading.
[[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<balancer> make_loh_balancer(
    std::string_view name, const loh_reading& reading);

}  // namespace evencube::simulator
