// Draws requests of all kinds and prints each with its native answer, a line each. Recordings, good
// and broken ones, are written into a folder; a line {"open": NAME} opens one of them.
//
// usage: lab_drawn_cases NUMBER FOLDER
#include <zlib.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>

#include "bridge.hpp"
#include "recordings.hpp"
#include "request.hpp"
#include "splitmix.hpp"
#include "trace_mutation.hpp"

namespace {

using evencube::splitmix;
using evencube::lab::json;

std::string drawn_network(splitmix& draw) {
  const auto n = [&](std::uint64_t least, std::uint64_t most) {
    return std::to_string(least + draw.below(most - least + 1));
  };
  switch (draw.below(14)) {
    case 0:
      return "cube:" + n(1, 40);
    case 1:
      return "mesh:" + n(1, 6) + "x" + n(1, 6);
    case 2:
      return "torus:" + n(1, 6) + "x" + n(1, 6);
    case 3:
      return "ring:" + n(1, 30);
    case 4:
      return "linear:" + n(1, 30);
    case 5:
      return "complete:" + n(1, 12);
    case 6:
      return "star:" + n(1, 20);
    case 7:
      return "fibonacci:" + n(1, 8);
    case 8:
      return "fibonacci-composite:" + n(1, 24);
    case 9: {
      // A random tree and some more links.
      const auto nodes = 2 + draw.below(14);
      std::string text = "edges:";
      for (std::uint64_t k = 1; k < nodes; ++k) {
        text += (k == 1 ? "" : ",") + std::to_string(draw.below(k)) + "-" + std::to_string(k);
      }
      return text;
    }
    default:
      return "hypercube:" + n(0, 6);
  }
}

std::vector<evencube::load_type> drawn_loads(splitmix& draw, std::uint64_t nodes) {
  constexpr std::uint64_t largest[] = {2, 10, 100, 1000, 1'000'000};
  const auto bound = largest[draw.below(5)];
  const bool sparse = draw.below(4) == 0;
  std::vector<evencube::load_type> loads(nodes);
  for (auto& load : loads) {
    if (!sparse || draw.below(6) == 0) load = static_cast<evencube::load_type>(draw.below(bound));
  }
  return loads;
}

/// A value that the option takes. The other options are whole numbers, which may be large.
std::string drawn_value(splitmix& draw, const std::string& name) {
  constexpr const char* parts[] = {"0.5", "0.1", "0.25", "0.333"};
  if (name == "portion") return parts[draw.below(4)];
  if (name == "weight") return parts[1 + draw.below(2)];
  if (name == "order") return draw.below(2) == 0 ? "ascending" : "descending";
  const auto least = name == "sweeps" || name == "rounds" || name == "iterations" ? 1U : 0U;
  return std::to_string(least + draw.below(name == "exchanged" ? 3 : 20));
}

/// Options of which at most one is refused: which of several is named depends on the compiler,
/// which may evaluate arguments in any order.
json drawn_options(splitmix& draw, const evencube::balancer_descriptor& of) {
  json options = json::object();
  for (const auto& option : of.options) {
    if (draw.below(2) == 0) continue;
    options[option.name] = option.choices.empty() || !option.allowed.empty()
                               ? drawn_value(draw, option.name)
                               : option.choices[draw.below(option.choices.size())];
  }
  if (!of.options.empty() && draw.below(20) == 0) {
    constexpr const char* bad[] = {"", "-1", "1.5.5", "many", "99999999999999999999", "1e5"};
    options[of.options[draw.below(of.options.size())].name] = bad[draw.below(6)];
  }
  return options;
}

bool serves(const evencube::balancer_descriptor& balancer, const std::string& network) {
  const auto& supports = balancer.guarantees.supports;
  return !supports || supports(evencube::topology::parse(network));
}

json drawn_plan(splitmix& draw, const std::vector<evencube::balancer_descriptor>& balancers) {
  const auto& balancer = balancers[draw.below(balancers.size())];
  auto network = drawn_network(draw);
  while (!serves(balancer, network) && draw.below(40) != 0) network = drawn_network(draw);
  const auto nodes = evencube::topology::parse(network).nodes();
  json request = {{"ask", "plan"},
                  {"topology", network},
                  {"loads", drawn_loads(draw, nodes)},
                  {"balancer", balancer.name},
                  {"options", drawn_options(draw, balancer)},
                  {"seed", draw.below(1000)}};
  if (draw.below(3) == 0) request["schedules"] = true;
  if (draw.below(5) == 0) request["initiator"] = draw.below(nodes);
  if (balancer.guarantees.honours_capacities && draw.below(3) == 0) {
    constexpr double speeds[] = {1, 0.5, 0.1, 2, 3, 0, 0.7071067811865476};
    json capacities = json::array();
    for (std::uint64_t k = 0; k < nodes; ++k) capacities.push_back(speeds[draw.below(7)]);
    request["capacities"] = std::move(capacities);
  }
  return request;
}

/// A simulation with settings of which some are refused: at most one of those that are drawn.
json drawn_simulation(splitmix& draw, const std::vector<evencube::balancer_descriptor>& balancers) {
  constexpr const char* scenarios[] = {"mm1-array",    "hot-spot",   "batch",        "search-tree",
                                       "rim-queueing", "loh-stable", "loh-unstable", "mmc"};
  constexpr const char* services[] = {
      "constant:2",       "uniform:0.2,0.8",  "exponential:1.5",
      "pareto:0.4,2.5",   "bimodal:1,10,0.1", "exponential:1e-7",
      "exponential:0.1x", "constant:1500",    "uniform:1,123456.75"};
  constexpr const char* ways[] = {"phased", "overlapped", "pipelined", "direct"};
  const std::string scenario = scenarios[draw.below(8)];
  json request = {{"ask", "simulate"},
                  {"scenario", scenario},
                  {"seed", draw.below(1000)},
                  {"stride", 1 + draw.below(300)},
                  {"samples", 1 + draw.below(40)},
                  {"loads", draw.below(2) == 0}};
  const bool arrivals = scenario == "mm1-array" || scenario == "hot-spot" || scenario == "mmc";
  if (arrivals || draw.below(3) == 0)
    request["horizon"] = 1 + static_cast<double>(draw.below(90)) / 7;
  if (arrivals && draw.below(2) == 0)
    request["load"] = 0.1 * static_cast<double>(1 + draw.below(12));
  if (draw.below(3) == 0) request["from"] = draw.below(5000);
  if (draw.below(4) == 0) request["service"] = services[draw.below(9)];
  if (scenario == "mmc") return request;
  if (scenario == "mm1-array" || draw.below(2) == 0) request["topology"] = drawn_network(draw);
  if (draw.below(2) == 0) request["balancer"] = balancers[draw.below(balancers.size())].name;
  if (request.contains("balancer") && draw.below(2) == 0) {
    request["latency"] = 0.001 * static_cast<double>(1 + draw.below(100));
    request["transmission"] = ways[draw.below(4)];
  }
  return request;
}

json drawn_request(splitmix& draw, const std::vector<evencube::balancer_descriptor>& balancers) {
  constexpr const char* starts[] = {"uniform", "geometric", "hot",       "one",
                                    "slope",   "figure-18", "worst-dem", "worst-oem"};
  switch (draw.below(16)) {
    case 13:
    case 14:
      return drawn_simulation(draw, balancers);
    case 15:
      if (draw.below(6) != 0) return drawn_simulation(draw, balancers);
      return {{"ask", "strategies"},
              {"scenario", draw.below(2) == 0 ? "loh-stable" : "loh-unstable-fitted"},
              {"seed", draw.below(1000)},
              {"runs", 1}};
    case 0:
      return {{"ask", "network"}, {"topology", drawn_network(draw)}};
    case 1:
      return {{"ask", "start"},
              {"topology", drawn_network(draw)},
              {"start", starts[draw.below(8)]},
              {"seed", draw.below(1000)},
              {"largest", 1 + draw.below(1000)}};
    default:
      return drawn_plan(draw, balancers);
  }
}

/// The file with the right checksum for each of its blocks.
std::string with_checksums(std::string file) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(file.data());
  for (std::size_t at = 12; at + 12 <= file.size();) {
    std::size_t length = 0;
    for (unsigned i = 0; i < 4; ++i) length |= std::size_t{bytes[at + 4 + i]} << (8 * i);
    if (length > file.size() - at - 12) break;
    const auto sum = crc32(0, bytes + at + 12, static_cast<uInt>(length));
    for (unsigned i = 0; i < 4; ++i) file[at + 8 + i] = static_cast<char>(sum >> (8 * i) & 0xFF);
    at += 12 + length;
  }
  return file;
}

/// The file of a recording: a good one, one of which a value, a byte or the end was changed, or a
/// packed one.
std::string drawn_recording(splitmix& draw,
                            const std::vector<evencube::balancer_descriptor>& balancers) {
  auto network = drawn_network(draw);
  const auto* balancer = &balancers[draw.below(balancers.size())];
  while (!serves(*balancer, network)) balancer = &balancers[draw.below(balancers.size())];
  const auto made = evencube::lab::made_recording(network, balancer->name, draw.below(40), draw());
  const auto how = draw.below(8);
  auto file = evencube::lab::file_of(made, how == 0);
  if (how == 1) file.resize(draw.below(file.size()));
  if (how == 2) file[draw.below(file.size())] ^= static_cast<char>(1 + draw.below(255));
  if (how > 4) {
    evencube::fuzz::trace_mutation change(static_cast<unsigned>(draw()));
    file = with_checksums(change.changed(file));
  }
  return file;
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t cases = 0;
  if (count != 3 ||
      std::from_chars(words[1], words[1] + std::strlen(words[1]), cases).ec != std::errc{}) {
    std::fputs("usage: lab_drawn_cases NUMBER FOLDER\n", stderr);
    return 2;
  }
  const auto balancers = evencube::registered_balancers();
  const auto print = [](const std::string& request) {
    const auto given = evencube::lab::answer(request);
    std::printf("%s\n%s\n", request.c_str(), given.c_str());
  };
  print(R"({"ask": "catalogue"})");
  print(R"({"ask": "recording"})");
  splitmix draw_recording(47);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const auto name = std::to_string(i) + ".trace";
    const auto file = drawn_recording(draw_recording, balancers);
    std::ofstream(std::filesystem::path(words[2]) / name, std::ios::binary) << file;
    std::printf("{\"open\": \"%s\"}\n%s\n", name.c_str(),
                evencube::lab::open_recording(file).c_str());
    print(json{{"ask", "recording"}, {"from", draw_recording.below(40)}, {"count", 8}}.dump());
  }
  splitmix draw(46);
  for (std::uint64_t i = 0; i < cases; ++i) print(drawn_request(draw, balancers).dump());
  return std::fflush(stdout) == 0 ? 0 : 1;
}
