#include "machine_file.hpp"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <evencube/simulator/presets.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

#include "calibration.hpp"
#include "failure.hpp"
#include "number_text.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

/// The place of a number in a machine_costs, for reading, writing and telling.
struct entry {
  const char* group;
  const char* name;
  const char* meaning;
  double& (*in)(machine_costs&);
};

constexpr std::string_view between_ranks = "ranks";

constexpr std::array costs_and_links{
    entry{"costs", "measure", "reading one worker's load and planning for it",
          [](machine_costs& m) -> double& { return m.costs.measure; }},
    entry{"costs", "send", "handing a task to another worker that sleeps, at the giver",
          [](machine_costs& m) -> double& { return m.costs.send; }},
    entry{"costs", "receive", "taking a task out of the queue and ending it, at the taker",
          [](machine_costs& m) -> double& { return m.costs.receive; }},
    entry{"costs", "transfer_send", "half of moving one task from queue to queue in a round",
          [](machine_costs& m) -> double& { return m.costs.transfer_send; }},
    entry{"costs", "transfer_receive", "the other half",
          [](machine_costs& m) -> double& { return m.costs.transfer_receive; }},
    entry{"links", "latency", "from the hand-over until the worker, woken, begins the task",
          [](machine_costs& m) -> double& { return m.links.latency; }},
    entry{"links", "per_quantum", "nothing: in shared memory processors carry the tasks",
          [](machine_costs& m) -> double& { return m.links.per_quantum; }},
    entry{"ranks", "latency", "from spawning a task for another rank until it begins there",
          [](machine_costs& m) -> double& { return m.ranks.latency; }},
    entry{"ranks", "per_byte", "each byte that it carries",
          [](machine_costs& m) -> double& { return m.ranks.per_byte; }}};

/// Whether an entry says anything of this machine.
bool told(const entry& e, const machine_costs& machine) {
  return e.group != between_ranks || machine.ranks != traces::rank_link{};
}

/// A file of --calibrate has less than a kilobyte; others are not read to their end.
constexpr std::size_t most_machine_bytes = 65536;

std::string text_of_machine(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error(
        fmt::format("--machine \"{}\": {}; allowed are this, loh and a file that "
                    "`evencube simulate --calibrate --output FILE` wrote",
                    path, why));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("it is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string text(most_machine_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse("it cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_machine_bytes) refuse("it is too long to be such a file");
  return text;
}

machine_costs read_machine(const std::string& path) {
  try {
    const json object = json::parse(text_of_machine(path));
    if (object.at("format") != "evencube-machine" || object.at("version") != 1) {
      throw usage_error(path + ": the format is not evencube-machine, version 1");
    }
    machine_costs machine;
    const json& workers = object.at("workers");
    if (!workers.is_number_unsigned() || workers > std::numeric_limits<std::uint32_t>::max()) {
      throw usage_error(path + ": workers is no whole number");
    }
    machine.workers = workers.get<std::uint32_t>();
    for (const entry& e : costs_and_links) {
      // A machine whose ranks were not measured has none.
      if (e.group == between_ranks && !object.contains(e.group)) continue;
      const double value = object.at(e.group).at(e.name).get<double>();
      if (!std::isfinite(value) || value < 0) {
        throw usage_error(fmt::format("{}: {}.{} is {}: it must be finite and >= 0", path, e.group,
                                      e.name, value));
      }
      e.in(machine) = value;
    }
    return machine;
  } catch (const json::exception& problem) {
    throw usage_error(path + ": " + problem.what());
  }
}

}  // namespace

machine_costs machine_called(const std::string& name) {
  if (name == "this") return calibrate();
  if (name == "loh") return {.costs = simulator::loh_costs(), .links = {}};
  return read_machine(name);
}

void apply(const machine_costs& machine, simulator::model& to) {
  to.costs = machine.costs;
  to.links.latency = machine.links.latency;
  to.links.per_quantum = machine.links.per_quantum;
}

json to_json(const machine_costs& machine) {
  json object{{"format", "evencube-machine"},
              {"version", 1},
              {"unit", "seconds"},
              {"workers", machine.workers}};
  machine_costs copy = machine;
  for (const entry& e : costs_and_links) {
    if (told(e, machine)) object[e.group][e.name] = e.in(copy);
  }
  return object;
}

std::string to_text(const machine_costs& machine) {
  using enum text_table::alignment;
  text_table table{{{"parameter", left}, {"time", right}, {"what was measured", left}}};
  machine_costs copy = machine;
  for (const entry& e : costs_and_links) {
    if (!told(e, machine)) continue;
    table.add_row({fmt::format("{}.{}", e.group, e.name), duration_text(e.in(copy)), e.meaning});
  }
  return fmt::format("this machine, {} workers\n\n{}", machine.workers, table.to_string());
}

}  // namespace evencube::cli
