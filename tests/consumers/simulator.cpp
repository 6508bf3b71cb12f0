// What a stranger's project builds with the components `trace` and `simulator`: writes a recording
// and reads it, replays it on another machine, simulates one that is made up. What is thrown in one
// library is caught here.
#include <cstdint>
#include <cstdio>
#include <evencube/simulator/presets.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/trace/trace.hpp>
#include <span>
#include <sstream>
#include <string>

namespace {

evencube::traces::trace recorded() {
  evencube::traces::trace made;
  made.workload = "by hand";
  made.topology = "hypercube:1";
  made.makespan = 40'000;
  for (std::uint64_t i = 0; i < 4; ++i) {
    made.tasks.push_back({.started = i * 10'000, .ended = (i + 1) * 10'000});
  }
  return made;
}

bool refuses(const std::string& bytes) {
  std::istringstream file(bytes);
  try {
    static_cast<void>(evencube::traces::read_trace(file, bytes.size(), "no trace"));
  } catch (const evencube::traces::trace_error&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const auto made = recorded();
  std::string bytes;
  evencube::traces::write_trace(
      made, [&](std::span<const std::uint8_t> more) { bytes.append(more.begin(), more.end()); });
  std::istringstream file(bytes);
  const auto read = evencube::traces::read_trace(file, bytes.size(), "in memory");

  namespace simulator = evencube::simulator;
  auto machine = simulator::recorded_configuration(read);
  const auto alone = simulator::replay(simulator::program_of(read), machine);
  machine.topology = "hypercube:2";
  machine.balancer = "oem";
  const auto shared = simulator::replay(simulator::program_of(read), machine);

  const auto scenario =
      simulator::make_preset("batch", {.topology = "hypercube:3", .balancer = "cwa"});
  const auto made_up = simulator::simulate(scenario.what, 1);

  std::printf("%zu bytes, %g s alone, %g s on four, %llu tasks made up\n", bytes.size(),
              alone.makespan, shared.makespan, static_cast<unsigned long long>(made_up.completed));
  return read == made && refuses("EVCTRACE") && shared.makespan < alone.makespan &&
                 made_up.completed > 0
             ? 0
             : 1;
}
