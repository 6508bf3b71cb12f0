#pragma once

#include <array>
#include <evencube/trace/machine_costs.hpp>

namespace evencube::traces {

/// Names a number of a machine_costs and gives access to it, for reading, writing and checking.
struct cost_entry {
  const char* name;
  double& (*in)(machine_costs&);
};

inline constexpr std::array cost_entries{
    cost_entry{"measure", [](machine_costs& m) -> double& { return m.costs.measure; }},
    cost_entry{"send", [](machine_costs& m) -> double& { return m.costs.send; }},
    cost_entry{"receive", [](machine_costs& m) -> double& { return m.costs.receive; }},
    cost_entry{"transfer_send", [](machine_costs& m) -> double& { return m.costs.transfer_send; }},
    cost_entry{"transfer_receive",
               [](machine_costs& m) -> double& { return m.costs.transfer_receive; }},
    cost_entry{"latency", [](machine_costs& m) -> double& { return m.links.latency; }},
    cost_entry{"per_quantum", [](machine_costs& m) -> double& { return m.links.per_quantum; }}};

}  // namespace evencube::traces
