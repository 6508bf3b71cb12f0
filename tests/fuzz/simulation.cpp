// What `evencube simulate` can be asked for, a line of input for each argument, and the first
// events of the simulation that comes of it.

#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/simulation.hpp>
#include <stdexcept>

#include "failure.hpp"
#include "simulation_arguments.hpp"
#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  const auto lines = fuzz::lines_of(fuzz::text_of(data, size), 24);
  std::vector<const char*> words{"simulate"};
  for (const auto& line : lines) words.push_back(line.c_str());
  CLI::App app;
  cli::simulation_arguments arguments;
  cli::add_simulation_options(app, arguments);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
    // Files, and this machine, have a target of their own.
    if (arguments.machine != "loh") arguments.machine.clear();
    if (!arguments.topology.empty()) (void)topology::parse(arguments.topology, 64);
    const auto scenario = cli::make_scenario(arguments);
    simulator::observer watch;
    watch.stride = 64;
    watch.progress = [](double, std::uint64_t events) { return events < 4096; };
    const auto result = simulator::simulate(scenario.what, arguments.seed, watch);
    fuzz::require(result.completed <= result.arrived, "nothing ends that did not begin");
    fuzz::require(result.makespan <= result.end || !result.partial, "nothing ends after the end");
  } catch (const CLI::Error&) {
  } catch (const cli::usage_error&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
