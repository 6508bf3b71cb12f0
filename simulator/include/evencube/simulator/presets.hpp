#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <evencube/simulator/model.hpp>

namespace evencube::simulator {

/// What a preset can be asked for beyond its name. Values at their defaults leave the preset's own.
struct preset_request {
  std::string_view topology = {};  ///< text of topology::parse
  std::string_view balancer = {};  ///< name in the registry, "none" for no balancing
  std::uint64_t seed = 1;          ///< draws random initial loads
  double load = 0;                 ///< > 0: offered utilisation per node
  double horizon = 0;              ///< > 0: end of the simulated time
};

/// A model together with what it points to. Movable: the pointers stay good.
struct scenario {
  std::unique_ptr<topology> graph;
  std::unique_ptr<balancer> strategy;
  std::unique_ptr<task_graph> program;
  model what;
};

struct preset {
  std::string_view name;
  std::string_view summary;
  scenario (*make)(const preset_request& request);
};

/// mm1-array, mmc, hot-spot, batch, fork-join, rim-queueing, loh-stable, loh-unstable.
[[nodiscard]] std::span<const preset> presets() noexcept;

/// Makes the preset called `name`. Throws std::invalid_argument naming it and listing the known
/// ones, or what the topology or the balancer say about their texts.
[[nodiscard]] scenario make_preset(std::string_view name, const preset_request& request = {});

/// Loh et al. 1996: 10 ms to compute a value, 10 ms to send and 10 ms to receive a message, 100 ms
/// on each side of a transfer of one task. In seconds.
[[nodiscard]] cost_model loh_costs() noexcept;

/// The 1600 tasks of Loh et al. on `nodes` nodes (100 per node). stable: each task on a random
/// node. unstable: each node has a random weight, uniform in (0, 1), that its share follows.
[[nodiscard]] std::vector<load_type> loh_loads(bool stable, node_id nodes, std::uint64_t seed);

/// How each strategy is driven in the settings of Loh et al.: who starts it, what it must know.
/// `strategy` by its name in the registry. low and high are the water marks.
[[nodiscard]] balancing loh_balancing(const balancer& strategy, load_type low, load_type high);

}  // namespace evencube::simulator
