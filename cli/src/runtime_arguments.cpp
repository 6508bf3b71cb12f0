#include "runtime_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <evencube/balancers/registry.hpp>

#include "completion.hpp"
#include "failure.hpp"
#include "number_options.hpp"
#include "number_text.hpp"
#include "refused_threads.hpp"

namespace evencube::cli {
namespace {

/// Besides the registered balancers, which only plan, the runtime knows one that needs no plan.
constexpr const char* unplanned = "random_stealing";

constexpr std::array<std::pair<std::string_view, balancer_mode>, 4> modes{
    {{"auto", balancer_mode::automatic},
     {"thread", balancer_mode::thread},
     {"on_idle", balancer_mode::on_idle},
     {"on_demand", balancer_mode::on_demand}}};

void check_balancer(const std::string& name) {
  std::string known = unplanned;
  for (const auto& descriptor : registered_balancers()) {
    if (descriptor.name == name) {
      return;
    }
    known += ", " + descriptor.name;
  }
  if (name != unplanned) {
    throw usage_error{fmt::format("unknown balancer \"{}\"; known: {}", name, known)};
  }
}

}  // namespace

unsigned workers_argument(const std::string& text) {
  if (text == "auto") {
    return 0;
  }
  try {
    return static_cast<unsigned>(whole_number("--workers", text, 1, runtime_options::max_workers));
  } catch (const usage_error& problem) {
    throw usage_error{fmt::format("{}, or auto", problem.what())};
  }
}

void add_workers_option(CLI::App& command, std::string& workers) {
  offer(
      command
          .add_option("--workers", workers,
                      fmt::format("Worker threads, 1 to {}, or auto: one per core that may be used",
                                  runtime_options::max_workers))
          ->capture_default_str(),
      {"auto"});
}

void add_runtime_options(CLI::App& command, runtime_arguments& arguments) {
  add_workers_option(command, arguments.workers);
  offer(command
            .add_option(
                "--pinning", arguments.pinning,
                "Where a worker may run: on its unit, core, cache (the last level's), numa node, "
                "or none (anywhere)")
            ->capture_default_str(),
        {"unit", "core", "cache", "numa", "none"});
  offer(
      command
          .add_option("--measured", arguments.measured,
                      "What planners are told of tasks and workers because it was measured: costs, "
                      "speeds, both or none")
          ->capture_default_str(),
      {"none", "costs", "speeds", "both"});
  add_strategy_options(command, arguments);
}

void add_strategy_options(CLI::App& command, runtime_arguments& arguments) {
  offer_balancers(command
                      .add_option("--balancer", arguments.balancer,
                                  "A name of evencube balancers, or random_stealing")
                      ->capture_default_str());
  offer_balancer_options(command
                             .add_option("--balancer-option", arguments.balancer_options,
                                         "key=value of the balancer, repeatable")
                             ->allow_extra_args(false));
  offer(command
            .add_option("--transmission", arguments.transmission,
                        "How plans are carried out: direct, phased, overlapped, overlapped_rounds, "
                        "pipelined, or pipelined:N with N quanta at a time over each link")
            ->capture_default_str(),
        {"direct", "phased", "overlapped", "overlapped_rounds", "pipelined"});
  add_planning_options(command, arguments);
}

void add_planning_options(CLI::App& command, runtime_arguments& arguments) {
  offer(
      command
          .add_option("--mode", arguments.mode,
                      "Who plans: thread (a thread of its own), on_idle (the worker that ran dry), "
                      "on_demand (nobody) or auto (a thread where a unit is left for it)")
          ->capture_default_str(),
      {"auto", "thread", "on_idle", "on_demand"});
  add_whole_number(command, "--period", arguments.period_us, allowed_period_us,
                   "With --mode thread: microseconds after which the thread looks at the loads "
                   "even if no worker called it");
  add_whole_number(command, "--trigger", arguments.trigger, {0, most_trigger},
                   "Quanta in a queue above which its worker calls the balancer's thread, and an "
                   "event-driven balancer in every mode (default 256)");
  offer(command
            .add_option("--pulls", arguments.pulls,
                        "on or off: whether idle workers take tasks from others between rounds")
            ->capture_default_str(),
        {"on", "off"});
  offer(command
            .add_option(
                "--order", arguments.order,
                "largest or newest: which of its tasks a worker begins first, where these cost "
                "differently")
            ->capture_default_str(),
        {"largest", "newest"});
}

std::string_view name_of(balancer_mode mode) noexcept {
  for (const auto& [name, known] : modes) {
    if (known == mode) return name;
  }
  return "auto";
}

runtime_options make_runtime_options(const runtime_arguments& arguments) {
  check_balancer(arguments.balancer);
  runtime_options options;
  options.workers = workers_argument(arguments.workers);
  options.balancer = arguments.balancer;
  options.options = key_values("--balancer-option", arguments.balancer_options);
  options.transmission = arguments.transmission;
  const auto* const mode =
      std::ranges::find_if(modes, [&](const auto& one) { return one.first == arguments.mode; });
  if (mode == modes.end()) {
    throw usage_error{
        fmt::format("--mode \"{}\": must be auto, thread, on_idle or on_demand", arguments.mode)};
  }
  options.mode = mode->second;
  if (arguments.period_us) {
    if (options.mode != balancer_mode::thread) {
      throw usage_error{fmt::format(
          "--period {}: only the balancer's thread looks at the clock; with --mode thread alone",
          *arguments.period_us)};
    }
    options.period = std::chrono::microseconds{*arguments.period_us};
  }
  if (arguments.trigger) options.threshold = static_cast<std::uint64_t>(*arguments.trigger);
  if (arguments.pulls != "on" && arguments.pulls != "off") {
    throw usage_error{fmt::format("--pulls \"{}\": must be on or off", arguments.pulls)};
  }
  options.pulls = arguments.pulls == "on";
  if (arguments.order != "largest" && arguments.order != "newest") {
    throw usage_error{fmt::format("--order \"{}\": must be largest or newest", arguments.order)};
  }
  options.largest_first = arguments.order == "largest";
  constexpr std::array<std::string_view, 4> measured{"none", "costs", "speeds", "both"};
  const auto* const chosen = std::ranges::find(measured, arguments.measured);
  if (chosen == measured.end()) {
    throw usage_error{
        fmt::format("--measured \"{}\": must be none, costs, speeds or both", arguments.measured)};
  }
  options.measured_costs = *chosen == "costs" || *chosen == "both";
  options.experimental.measured_speeds = *chosen == "speeds" || *chosen == "both";
  try {
    options.pin_to = parse_pinning(arguments.pinning);
  } catch (const std::invalid_argument&) {
    throw usage_error{fmt::format("--pinning \"{}\": must be unit, core, cache, numa or none",
                                  arguments.pinning)};
  }
  if (!options.pulls && options.balancer == unplanned) {
    throw usage_error{fmt::format(
        "--pulls off: {} moves tasks by pulls alone; on, or another --balancer", unplanned)};
  }
  return options;
}

void check_environment() {
  const char* const text = std::getenv("EVENCUBE_WORKERS");
  if (text == nullptr || *text == '\0') return;
  try {
    static_cast<void>(whole_number("", text, 1, runtime_options::max_workers));
  } catch (const usage_error&) {
    throw usage_error{fmt::format("EVENCUBE_WORKERS={}: must be a whole number from 1 to {}", text,
                                  runtime_options::max_workers)};
  }
}

std::unique_ptr<runtime> start_runtime(const runtime_options& options) {
  try {
    return std::make_unique<runtime>(options);
  } catch (const std::invalid_argument& problem) {
    throw usage_error{problem.what()};
  } catch (const std::system_error& problem) {
    throw std::runtime_error{refused_threads_text(options.workers, problem)};
  }
}

}  // namespace evencube::cli
