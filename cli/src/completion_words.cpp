#include "completion_words.hpp"

#include <CLI/Option.hpp>
#include <algorithm>
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/presets.hpp>
#include <evencube/simulator/reproduction.hpp>
#include <evencube/workloads/workload.hpp>
#include <map>
#include <utility>

#include "comparison_forecasts.hpp"
#include "other_engines.hpp"

namespace evencube::cli {
namespace {

using texts = std::vector<std::string>;

texts balancers(const std::string& command) {
  texts names;
  // It plans nothing, so it is no balancer of those that only plan.
  if (command != "simulate" && command != "plan") names.emplace_back("random_stealing");
  for (const balancer_descriptor& known : registered_balancers()) names.push_back(known.name);
  return names;
}

texts workloads_here() {
  texts names;
  for (const auto& known : workloads::registered_workloads()) names.push_back(known.name);
  return names;
}

texts commands(const CLI::App& program) {
  texts names;
  for (const CLI::App* const command : listed_commands(program)) {
    names.push_back(command->get_name());
  }
  return names;
}

/// Anything with a name, in its order.
template <typename Named, typename Member>
texts names_of(const Named& all, Member name, texts first = {}) {
  for (const auto& one : all) first.emplace_back(one.*name);
  return first;
}

/// The names of all balancers' options, each to be followed by its value.
texts keys_of_balancers() {
  texts keys;
  for (const balancer_descriptor& known : registered_balancers()) {
    for (const option_descriptor& option : known.options) keys.push_back(option.name + "=");
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// What a balancer's option of this name takes, of all balancers that have it.
texts choices_of_balancers(const std::string& option) {
  texts words;
  for (const balancer_descriptor& known : registered_balancers()) {
    for (const option_descriptor& one : known.options) {
      if (option != "--" + one.name) continue;
      for (const std::string& choice : one.choices) {
        if (std::ranges::find(words, choice) == words.end()) words.push_back(choice);
      }
    }
  }
  return words;
}

completion_words argument_words(const CLI::App& program, const std::string& command) {
  if (command == "run" || command == "speedup") return {.words = workloads_here()};
  if (command == "compare") return {.words = workloads_here(), .files = true};
  if (command == "plan") return {.words = balancers(command)};
  if (command == "simulate") {
    return {.words = names_of(simulator::presets(), &simulator::preset::name)};
  }
  if (command == "reproduce") {
    return {.words = names_of(simulator::experiments(), &simulator::experiment::id, {"all"})};
  }
  if (command == "help" || command == "manual") return {.words = commands(program)};
  if (command == "completion") return {.words = {"bash", "zsh", "fish"}};
  return {.words = {}, .files = true};
}

/// Where an option means something of its own.
const std::map<std::pair<std::string, std::string>, completion_words>& words_of_one_command() {
  static const std::map<std::pair<std::string, std::string>, completion_words> words{
      {{"run", "--workers"}, {{"auto"}}},
      {{"demo", "--workers"}, {{"auto"}}},
      {{"plan", "--order"}, {{"ascending", "descending"}}},
      {{"simulate", "--order"}, {{"fifo", "lifo"}}},
      {{"simulate", "--trigger"},
       {{"never", "start", "idle", "period:", "threshold:", "utilisation:"}}},
      {{"simulate", "--machine"}, {.words = {"this", "loh"}, .files = true}},
      {{"compare", "--machine"},
       {.words = names_of(forecast_machines(), &forecast_machine::name), .list = true}},
  };
  return words;
}

const std::map<std::string, completion_words>& words_of_all_commands() {
  static const std::map<std::string, completion_words> words{
      {"--balancer-option", {keys_of_balancers()}},
      {"--engine", {.words = engines_here(), .list = true}},
      {"--information",
       {{"free", "shared", "neighbours", "collective", "broadcast", "announced", "central",
         "proximity:"}}},
      {"--kernel", {{"auto", "portable", "blas"}}},
      {"--measured", {{"none", "costs", "speeds", "both"}}},
      {"--mode", {{"auto", "thread", "on_idle", "on_demand"}}},
      {"--option", {keys_of_balancers()}},
      {"--pinning", {{"unit", "core", "cache", "numa", "none"}}},
      {"--placement", {{"spread", "one", "skewed", "random"}}},
      {"--pulls", {{"on", "off"}}},
      {"--order", {{"largest", "newest"}}},
      {"--service", {{"constant:", "uniform:", "exponential:", "bimodal:", "pareto:"}}},
      {"--topology",
       {{"hypercube:", "cube:", "mesh:", "torus:", "ring:", "linear:", "complete:", "star:",
         "fibonacci:", "fibonacci-composite:", "edges:"}}},
      {"--transmission", {{"direct", "phased", "overlapped", "overlapped_rounds", "pipelined"}}},
      {"--tree", {{"T1", "T3", "T1L", "T3L", "tiny"}}},
  };
  return words;
}

completion_words option_words(const std::string& command, const std::string& name) {
  const auto own = words_of_one_command().find({command, name});
  if (own != words_of_one_command().end()) return own->second;
  if (name == "--balancer") return {.words = balancers(command)};
  const auto common = words_of_all_commands().find(name);
  if (common != words_of_all_commands().end()) return common->second;
  if (command == "plan") return {.words = choices_of_balancers(name)};
  return {};
}

}  // namespace

completion_words words_for(const CLI::App& program, const CLI::App& command,
                           const CLI::Option& option) {
  if (option.get_positional()) return argument_words(program, command.get_name());
  if (option.get_items_expected_max() == 0) return {};
  for (const std::string& name : option.get_lnames()) {
    completion_words known = option_words(command.get_name(), "--" + name);
    if (known.words.empty()) continue;
    known.list = known.list || option.get_delimiter() == ',';
    return known;
  }
  return {};
}

std::vector<const CLI::App*> listed_commands(const CLI::App& program) {
  return program.get_subcommands(
      [](const CLI::App* command) { return !command->get_group().empty(); });
}

}  // namespace evencube::cli
