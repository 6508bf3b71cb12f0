#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <evencube/simulator/presets.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "machine_file.hpp"

namespace evencube::cli {

/// What `evencube simulate` was asked for. Options not given leave the preset's own values.
struct simulation_arguments {
  /// Knows which of its options were given; it outlives this.
  const CLI::App* command = nullptr;
  std::string preset;
  std::string topology;
  std::string balancer;
  std::string machine;
  std::string capacities;
  std::optional<std::string> output;
  std::vector<std::string> balancer_options;
  std::optional<std::string> service;
  std::optional<std::string> trigger;
  std::optional<std::string> information;
  std::optional<std::string> transmission;
  std::optional<std::string> order;
  std::optional<double> load;
  std::optional<double> horizon;
  std::optional<double> latency;
  std::optional<double> per_quantum;
  std::optional<double> relay;
  std::optional<double> gap;
  std::optional<double> sample_period;
  std::optional<std::uint32_t> most_waiting;
  std::optional<bool> held;
  std::optional<std::uint32_t> ranks;
  std::optional<double> task_bytes;
  std::optional<double> rank_latency;
  std::optional<double> rank_bandwidth;
  std::uint64_t seed = 1;
  std::size_t replications = 1;
  unsigned threads = 0;
  bool long_form = false;
  bool one_port = false;
  bool by_node = false;
  bool calibrate = false;
  bool over_ranks = false;
  bool as_json = false;
};

void add_simulation_options(CLI::App& command, simulation_arguments& into);

/// Adds `simulate` with all its options, which write into `arguments`, and its help. `arguments`
/// outlives the application.
CLI::App* add_simulate_arguments(CLI::App& app, simulation_arguments& arguments);

/// What can be wrong with --calibrate, before anything is measured. Throws usage_error.
void require_calibration(const simulation_arguments& arguments);

/// Writes and prints what was measured.
void tell_calibration(const simulation_arguments& arguments, const machine_costs& machine);

/// Throws usage_error if an option was given that is none of `used`, with `why` before its name.
void refuse_others(const simulation_arguments& arguments, std::initializer_list<const char*> used,
                   const std::string& why);

/// The preset with everything that was asked for. Throws std::invalid_argument naming what is
/// wrong.
[[nodiscard]] simulator::scenario make_scenario(const simulation_arguments& arguments);

/// "never", "start", "idle", "period:T", "threshold:LOW,HIGH" or "utilisation:T,LEVEL". Throws
/// std::invalid_argument.
[[nodiscard]] simulator::trigger parse_trigger(const std::string& text);

/// Sets what `text` says: "free", "shared", "neighbours", "collective", "broadcast", "announced",
/// "central" or "proximity:LOAD". Throws std::invalid_argument.
void set_information(const std::string& text, simulator::balancing& balance);

}  // namespace evencube::cli
