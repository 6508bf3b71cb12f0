// Planning for what a user says: a balancer with options, a network, loads, capacities. A plan that
// is made keeps the rules and the total.

#include <charconv>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <stdexcept>

#include "support.hpp"

namespace {

using namespace evencube;

template <typename Number>
std::vector<Number> numbers(std::string_view text) {
  std::vector<Number> values;
  while (!text.empty()) {
    const auto comma = text.find(',');
    Number value{};
    const auto part = text.substr(0, comma);
    if (std::from_chars(part.data(), part.data() + part.size(), value).ec == std::errc{}) {
      values.push_back(value);
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return values;
}

balancer_options options_of(std::string_view text) {
  balancer_options options;
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto pair = text.substr(0, end);
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos) {
      options.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // balancer, options, network, loads, capacities, initiator
  const auto lines = fuzz::lines_of(fuzz::text_of(data, size), 6);
  if (lines.size() < 4) return 0;
  const auto loads = numbers<load_type>(lines[3]);
  const auto capacities = lines.size() > 4 ? numbers<double>(lines[4]) : std::vector<double>{};
  const auto initiator = lines.size() > 5 ? numbers<node_id>(lines[5]) : std::vector<node_id>{};
  plan planned;
  try {
    const auto graph = topology::parse(lines[2], 256);
    const auto strategy = make_balancer(lines[0], options_of(lines[1]));
    balance_request request{graph, loads, capacities, size};
    if (!initiator.empty()) request.initiator = initiator[0];
    strategy->make_plan(request, planned);
    validate_plan(graph, loads, planned);
    fuzz::require(total_load(final_loads(planned, loads)) == total_load(loads),
                  "no quantum is lost");
  } catch (const std::invalid_argument& refusal) {
    // Of a plan that was made nothing is refused.
    fuzz::require(planned.phases.empty() || std::string_view(refusal.what()).find("phase ") != 0,
                  refusal.what());
  }
  return 0;
}
