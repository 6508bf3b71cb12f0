#include <memory>

#include <evencube/balancers/registry.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

json options_json(const balancer_descriptor& descriptor) {
  json options = json::array();
  for (const auto& option : descriptor.options) {
    options.push_back({{"name", option.name},
                       {"summary", option.summary},
                       {"default", option.default_value},
                       {"choices", option.choices},
                       {"allowed", option.allowed}});
  }
  return options;
}

json to_json(const std::vector<balancer_descriptor>& descriptors) {
  json balancers = json::array();
  for (const auto& descriptor : descriptors) {
    const auto& guarantees = descriptor.guarantees;
    balancers.push_back({{"name", descriptor.name},
                         {"summary", descriptor.summary},
                         {"source", descriptor.source},
                         {"information", descriptor.information},
                         {"difference", guarantees.difference_text},
                         {"capacities", guarantees.honours_capacities},
                         {"topologies", guarantees.supports_text},
                         {"plan_cost", guarantees.plan_cost},
                         {"options", options_json(descriptor)}});
  }
  return {{"balancers", std::move(balancers)}};
}

std::string to_text(const std::vector<balancer_descriptor>& descriptors) {
  text_table table{
      {"<balancer", "<final difference", "<capacities", "<topologies", "<what it does"}};
  std::string details;
  for (const auto& descriptor : descriptors) {
    const auto& guarantees = descriptor.guarantees;
    table.add_row(descriptor.name, guarantees.difference_text,
                  guarantees.honours_capacities ? "yes" : "no", guarantees.supports_text,
                  descriptor.summary);
    for (const auto& option : descriptor.options) {
      auto allowed = option.allowed;
      for (const auto& choice : option.choices) allowed += (allowed.empty() ? "" : ", ") + choice;
      details += "  " + descriptor.name + " --" + option.name + ": " + option.summary + " (" +
                 allowed + "; default " + option.default_value + ")\n";
    }
  }
  return table.to_string() + (details.empty() ? "" : "\noptions\n" + details);
}

}  // namespace

void add_balancers_command(CLI::App& app) {
  auto as_json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("balancers", "List the balancers and their bounds");
  command->add_flag("--json", *as_json, "Print one JSON object");
  command->footer(
      "Example:\n"
      "  evencube balancers");
  command->callback([as_json] {
    const auto descriptors = registered_balancers();
    *as_json ? print_json(to_json(descriptors)) : print(to_text(descriptors));
  });
}

}  // namespace evencube::cli
