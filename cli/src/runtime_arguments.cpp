#include "runtime_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <evencube/balancers/registry.hpp>

#include "completion.hpp"
#include "failure.hpp"
#include "nearest_word.hpp"
#include "number_text.hpp"

namespace evencube::cli {
namespace {

/// The strategy that needs no plan, which the runtime knows in addition to the registered
/// balancers.
constexpr const char* unplanned = "random_stealing";

constexpr std::array<std::pair<std::string_view, balancer_mode>, 4> modes{
    {{"auto", balancer_mode::automatic},
     {"thread", balancer_mode::thread},
     {"on_idle", balancer_mode::on_idle},
     {"on_demand", balancer_mode::on_demand}}};

void check_balancer(const std::string& name) {
  std::vector<std::string> known{unplanned};
  for (const auto& descriptor : registered_balancers()) known.push_back(descriptor.name);
  if (std::ranges::find(known, name) == known.end()) {
    throw usage_error{unknown_word("balancer", name, known)};
  }
}

}  // namespace

unsigned workers_argument(const std::string& text) {
  if (text == "auto") return 0;
  try {
    return static_cast<unsigned>(whole_number("--workers", text, 1, runtime_options::max_workers));
  } catch (const usage_error& problem) {
    throw usage_error{fmt::format("{}, or auto", problem.what())};
  }
}

void add_workers_option(CLI::App& command, std::string& workers) {
  add_text(command, "--workers", workers, {"auto"},
           fmt::format("The number of workers, 1 to {}, or auto: one for each usable core",
                       runtime_options::max_workers));
}

void add_machine_option(CLI::App& command, std::string& machine) {
  add_text(command, "--machine", machine, {},
           "A machine in hwloc's synthetic language, such as \"pack:2 core:4 pu:1\". Workers are "
           "placed as on that machine, but are not bound to cores");
}

void add_threads_option(CLI::App& command, unsigned& threads) {
  add_whole_number(command, "--threads", threads, {0, runtime_options::max_workers},
                   "The number of computing threads; 0 means one per usable core. It does not "
                   "affect the results");
}

void add_runtime_options(CLI::App& command, runtime_arguments& arguments) {
  {
    const heading here{command, headings::machine};
    add_workers_option(command, arguments.workers);
    add_machine_option(command, arguments.machine);
    add_choice(command, "--pinning", arguments.pinning, {"unit", "core", "cache", "numa", "none"},
               "Where each worker may run: on its unit, core, cache (the units that share its "
               "last-level cache), numa node, or none (anywhere)");
  }
  const heading here{command, headings::strategy};
  add_choice(command, "--measured", arguments.measured, {"none", "costs", "speeds", "both"},
             "What the runtime measures for plans: task costs, worker speeds, both or none");
  add_strategy_options(command, arguments);
}

void add_strategy_options(CLI::App& command, runtime_arguments& arguments) {
  const heading here{command, headings::strategy};
  offer_balancers(command
                      .add_option("--balancer", arguments.balancer,
                                  "A balancer (see evencube balancers), or random_stealing")
                      ->capture_default_str());
  offer_balancer_options(command
                             .add_option("--balancer-option", arguments.balancer_options,
                                         "key=value: an option of the balancer; repeatable")
                             ->allow_extra_args(false));
  add_text(command, "--transmission", arguments.transmission,
           {"direct", "phased", "overlapped", "overlapped_rounds", "pipelined"},
           "How plans are carried out: direct, phased, overlapped, overlapped_rounds, pipelined, "
           "or pipelined:N to send N quanta at a time over each link");
  add_planning_options(command, arguments);
}

void add_planning_options(CLI::App& command, runtime_arguments& arguments) {
  const heading here{command, headings::strategy};
  add_choice(command, "--mode", arguments.mode, {"auto", "thread", "on_idle", "on_demand"},
             "When rounds begin: on_idle (a worker without tasks plans), thread (a separate thread "
             "also plans, when a queue is long), on_demand (only if the program calls balance) or "
             "auto (thread, if there are two or more workers)");
  add_whole_number(command, "--period", arguments.period_us, allowed_period_us,
                   "With --mode thread: the microseconds after which the balancer's thread reads "
                   "the loads even if no worker has called it");
  add_whole_number(command, "--trigger", arguments.trigger, {0, most_trigger},
                   "The number of quanta in a queue above which its worker calls the balancer's "
                   "thread or, in every mode, an event-driven balancer (default 256). Not allowed "
                   "if the balancer's options set marks, such as --balancer-option high=10");
  add_choice(command, "--pulls", arguments.pulls, {"on", "off"},
             "Whether idle workers take tasks from other workers between rounds: on or off");
  add_choice(command, "--order", arguments.order, {"largest", "newest"},
             "Which tasks a worker begins first if costs differ: largest or newest");
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
  options.mode =
      std::ranges::find(modes, arguments.mode, &decltype(modes)::value_type::first)->second;
  if (arguments.period_us) {
    if (options.mode != balancer_mode::thread) {
      throw usage_error{
          fmt::format("--period {}: applies only to the balancer's thread; use --mode thread",
                      *arguments.period_us)};
    }
    options.period = std::chrono::microseconds{*arguments.period_us};
  }
  if (arguments.trigger) {
    refuse_trigger_beside_marks(options);
    options.threshold = static_cast<std::uint64_t>(*arguments.trigger);
  }
  options.synthetic_machine = arguments.machine;
  options.pulls = arguments.pulls == "on";
  options.largest_first = arguments.order == "largest";
  const bool both = arguments.measured == "both";
  options.measured_costs = both || arguments.measured == "costs";
  options.experimental.measured_speeds = both || arguments.measured == "speeds";
  options.pin_to = parse_pinning(arguments.pinning);
  if (!options.pulls && options.balancer == unplanned) {
    throw usage_error{fmt::format(
        "--pulls off: {} moves tasks by pulls alone; use --pulls on, or another --balancer",
        unplanned)};
  }
  return options;
}

void refuse_trigger_beside_marks(const runtime_options& options) {
  if (options.balancer == unplanned) return;
  const load_marks own = refusals_as_usage_errors(
      [&] { return make_balancer(options.balancer.name(), options.options)->marks(); });
  const auto refuse = [&](const char* name, load_type mark) {
    throw usage_error{fmt::format(
        "--trigger: {} is called at its mark {}={} instead; leave out --trigger, or use {}=auto",
        options.balancer.name(), name, mark, name)};
  };
  if (own.high) refuse("high", *own.high);
  if (own.low) refuse("low", *own.low);
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

std::string refused_threads_text(unsigned count, const std::system_error& problem) {
  return fmt::format(
      "cannot start {} worker threads: {}; this user's limit on processes (ulimit -u) or on "
      "address space (ulimit -v) is reached",
      count == 0 ? "the" : std::to_string(count), problem.code().message());
}

void run_in_parallel(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body) {
  runtime_options options;
  options.workers = threads;
  const auto workers = start_runtime(options);
  // The bodies are long and uneven, so each body is offered to the other workers by itself.
  workers->run([&] { parallel_for(std::size_t{0}, count, body, {.grain = 1}); });
}

}  // namespace evencube::cli
