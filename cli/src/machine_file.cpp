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
    entry{"costs", "measure", "reading the load of a worker, and planning for that worker",
          [](machine_costs& m) -> double& { return m.costs.measure; }},
    entry{"costs", "send", "sender's time to send a task to a sleeping worker",
          [](machine_costs& m) -> double& { return m.costs.send; }},
    entry{"costs", "receive", "worker's time to dequeue and end a task",
          [](machine_costs& m) -> double& { return m.costs.receive; }},
    entry{"costs", "transfer_send", "half of the time to move a task between queues in a round",
          [](machine_costs& m) -> double& { return m.costs.transfer_send; }},
    entry{"costs", "transfer_receive", "the other half of the time to move a task",
          [](machine_costs& m) -> double& { return m.costs.transfer_receive; }},
    entry{"links", "latency", "from sending a task to a sleeping worker until it begins",
          [](machine_costs& m) -> double& { return m.links.latency; }},
    entry{"links", "per_quantum", "0, because tasks in shared memory do not cross links",
          [](machine_costs& m) -> double& { return m.links.per_quantum; }},
    entry{"ranks", "latency", "from the spawn of a task for another rank until it begins there",
          [](machine_costs& m) -> double& { return m.ranks.latency; }},
    entry{"ranks", "per_byte", "additional time for each byte of a task",
          [](machine_costs& m) -> double& { return m.ranks.per_byte; }}};

/// Whether an entry says anything of this machine.
bool told(const entry& e, const machine_costs& machine) {
  return e.group != between_ranks || machine.ranks != traces::rank_link{};
}

/// A file of --calibrate has less than a kilobyte; others are not read to their end.
constexpr std::size_t most_machine_bytes = 65536;

/// A value as a message has it.
std::string shown(const json& value) {
  return value.is_null() ? "missing" : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string text_of_machine(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error(
        fmt::format("--machine \"{}\": {}; allowed are this, loh and a file written by `evencube "
                    "simulate --calibrate --output FILE`",
                    path, why));
  };
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  if (kind == std::filesystem::file_type::directory) refuse("it is a folder");
  // Opening a pipe would wait until somebody writes to it.
  if (kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::not_found) {
    refuse("it is not a regular file");
  }
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
  const auto refuse = [&](const std::string& why) { throw usage_error(path + ": " + why); };
  const std::string text = text_of_machine(path);
  json object;
  try {
    object = json::parse(text);
  } catch (const json::parse_error& problem) {
    refuse(fmt::format("it is not valid JSON at byte {}", problem.byte));
  } catch (const json::out_of_range&) {
    refuse("a number in it is too large");
  }
  /// A field by where it is, as "/costs/send"; null where there is none.
  const auto field = [&](const std::string& pointer) {
    const json::json_pointer at{pointer};
    return object.contains(at) ? object.at(at) : json(nullptr);
  };
  if (field("/format") != "evencube-machine" || field("/version") != 1) {
    refuse(fmt::format("format is {} and version {}: they must be \"evencube-machine\" and 1",
                       shown(field("/format")), shown(field("/version"))));
  }
  machine_costs machine;
  constexpr auto most_workers = std::numeric_limits<std::uint32_t>::max();
  const json workers = field("/workers");
  if (!workers.is_number_unsigned() || workers > most_workers) {
    refuse(fmt::format("workers is {}: it must be a whole number from 0 to {}", shown(workers),
                       most_workers));
  }
  machine.workers = workers.get<std::uint32_t>();
  for (const entry& e : costs_and_links) {
    // A machine whose ranks were not measured has none.
    if (e.group == between_ranks && !object.contains(e.group)) continue;
    const json value = field(fmt::format("/{}/{}", e.group, e.name));
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value < 0) {
      refuse(fmt::format("{}.{} is {}: it must be a number of seconds, finite and >= 0", e.group,
                         e.name, shown(value)));
    }
    e.in(machine) = value.get<double>();
  }
  return machine;
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
  text_table table{{"<parameter", "time", "<what was measured"}};
  machine_costs copy = machine;
  for (const entry& e : costs_and_links) {
    if (!told(e, machine)) continue;
    table.add_row(fmt::format("{}.{}", e.group, e.name), duration_text(e.in(copy)), e.meaning);
  }
  return fmt::format("this machine, {} workers\n\n{}", machine.workers, table.to_string());
}

}  // namespace evencube::cli
