// The program that `evencube` continues as with --cluster: one rank of an MPI program, or the only
// one.
#include <fmt/core.h>

#include <CLI/App.hpp>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <evencube/cluster.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "interruption.hpp"
#include "number_text.hpp"
#include "ranks_agreement.hpp"
#include "ranks_calibration.hpp"
#include "ranks_program.hpp"
#include "ranks_run.hpp"
#include "run_arguments.hpp"
#include "runtime_arguments.hpp"
#include "simulation_arguments.hpp"

namespace evencube::cli {
namespace {

/// The options without a meaning between ranks, each with the reason. Each is refused if it is
/// given, flags included.
constexpr std::array<std::pair<const char*, const char*>, 14> refused{
    {{"--hold", "it applies to the workers of one process only"},
     {"--cost", "it applies to --hold, which uses the workers of one process"},
     {"--machine", "each rank places its workers on its own machine"},
     {"--placement", "tasks begin on rank 0, or on the rank that spawns them"},
     {"--engine", "other engines do not run over ranks"},
     {"--trace", "ranks are not recorded"},
     {"--live", "it shows the workers of one process"},
     {"--live-ms", "it applies to --live, which shows the workers of one process"},
     {"--mode", "--sharing determines how tasks move between ranks"},
     {"--period", "--sharing determines how tasks move between ranks"},
     {"--trigger", "--sharing determines how tasks move between ranks"},
     {"--pulls", "--sharing determines how tasks move between ranks"},
     {"--order", "it applies to the workers of one process only"},
     {"--measured", "it applies to the workers of one process only"}}};

/// Everything that can be known of the command line without MPI. It is the same on all ranks.
struct command_line {
  CLI::App app;
  run_arguments run;
  simulation_arguments simulation;
  bool runs = true;  // false: calibrates
  cluster_options options;
  verdict end{going_on, "", ""};
  std::string help;  // printed in place of a run
};

/// The options of a cluster that does no work.
cluster_options idle_options() {
  cluster_options idle;
  idle.balancer = "none";
  idle.local.workers = 1;
  idle.local.pin = false;
  return idle;
}

/// The options of the cluster that carries out a run.
cluster_options options_of(const run_arguments& run, const CLI::App& command) {
  if (run.workload.empty()) throw usage_error{"WORKLOAD is required with --cluster"};
  for (const auto& [name, reason] : refused) {
    if (command.count(name) != 0) {
      throw usage_error{fmt::format("{} with --cluster: {}", name, reason)};
    }
  }
  check_environment();
  runtime_arguments local;
  local.workers = run.engine.workers;
  // Ranks on one machine know nothing of each other: if each rank bound its own workers, all ranks
  // would choose the first cores. The launcher can bind the ranks.
  local.pinning = command.count("--pinning") != 0 ? run.engine.pinning : "none";
  cluster_options options;
  options.local = make_runtime_options(local);
  options.balancer = run.engine.balancer;
  options.balancer_options = key_values("--balancer-option", run.engine.balancer_options);
  options.transmission = run.engine.transmission;
  if (run.sharing == "rounds") options.sharing = cluster_sharing::rounds;
  return options;
}

void parse(command_line& line, int count, const char* const* words) {
  line.app.name("evencube");
  line.app.require_subcommand(1);
  const auto* const run = add_run_arguments(line.app, line.run);
  add_simulate_arguments(line.app, line.simulation);
  refuse_empty_values(line.app);
  const parse_end end = cli::parse(line.app, count, words);
  if (!end.help.empty() || !end.problem.empty()) {
    line.end = {end.status, end.problem, end.hint};
    line.help = end.help;
    return;
  }
  line.runs = run->parsed();
  if (line.runs ? !line.run.over_ranks : !line.simulation.over_ranks) {
    throw usage_error{fmt::format("{} accepts only commands with --cluster", ranks_program)};
  }
  // A user who says something of rounds wants them.
  const bool of_rounds =
      run->count("--balancer") + run->count("--balancer-option") + run->count("--transmission") > 0;
  if (of_rounds && run->count("--sharing") == 0) line.run.sharing = "rounds";
  line.options = line.runs ? options_of(line.run, *run) : idle_options();
}

/// Joins the cluster. Collective. Options that are not allowed make the verdict a refusal.
verdict join(std::optional<cluster>& world, int count, char** words,
             const cluster_options& options) {
  return verdict_of([&] {
    try {
      world.emplace(count, words, options);
    } catch (const std::invalid_argument& problem) {
      throw usage_error{problem.what()};
    } catch (const std::system_error& problem) {
      throw std::runtime_error{refused_threads_text(options.local.workers, problem)};
    }
  });
}

/// Runs or calibrates on the ranks of the cluster. Collective.
int run_together(cluster& world, const command_line& line) {
  try {
    if (world.rank() == 0 && !line.help.empty()) print(line.help);
    agree(world, line.end);
    line.runs ? run_over_ranks(world, line.run, line.options.local)
              : calibrate_over_ranks(world, line.simulation);
    return exit_success;
  } catch (const agreed_end& end) {
    return end.status;
  }
}

/// Carries out `run --cluster` or `simulate --calibrate --cluster` on one rank. All ranks are
/// called with the same arguments. Only rank 0 reads input, writes and reports. A fault on any rank
/// is reported once, and all ranks return the same exit code.
int run_as_rank(int count, char** arguments) noexcept {
  try {
    command_line line;
    const auto parsed = verdict_of([&] { parse(line, count, arguments); });
    if (goes_on(line.end)) line.end = parsed;
    std::optional<cluster> world;
    if (goes_on(line.end)) line.end = join(world, count, arguments, line.options);
    if (!world) {
      // A rank that cannot take part in the run joins a cluster that does nothing: there it reports
      // why, or learns which rank could not.
      if (!goes_on(join(world, count, arguments, idle_options()))) {
        complain(std::get<1>(line.end), std::get<2>(line.end));
        return std::get<0>(line.end);
      }
    }
    return run_together(*world, line);
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory for this");
    return exit_bad_usage;
  } catch (const std::exception& problem) {
    complain(problem.what());
    return exit_failure;
  }
}

}  // namespace
}  // namespace evencube::cli

int main(int count, char** arguments) {
  evencube::cli::occupy_standard_streams();
  evencube::cli::clean_up_on_signals();
  evencube::cli::describe_on_signal();
  return evencube::cli::run_as_rank(count, arguments);
}
