#include <evencube/balancers/conformance.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/plan_tools.hpp>

#include "splitmix.hpp"

namespace evencube::conformance {
namespace {

using load_vector = std::vector<load_type>;

std::string text_of(const balancer_options& options, const balance_request& request) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += name;
    text += '=';
    text += value;
    text += ' ';
  }
  text += request.graph.to_string();
  text += " loads";
  const std::size_t shown = std::min<std::size_t>(request.loads.size(), 32);
  for (std::size_t k = 0; k < shown; ++k) text += ' ' + std::to_string(request.loads[k]);
  if (!request.capacities.empty()) {
    text += " capacities";
    const std::size_t count = std::min<std::size_t>(request.capacities.size(), 32);
    for (std::size_t k = 0; k < count; ++k) text += ' ' + std::to_string(request.capacities[k]);
  }
  return text;
}

/// Collects the violations of one request.
class report {
 public:
  report(const balancer_descriptor& descriptor, const balancer_options& options,
         const balance_request& request)
      : name_(descriptor.name), where_(text_of(options, request)) {}
  void add(std::string what) { found_.push_back({name_, where_, std::move(what)}); }
  std::vector<violation> take() { return std::move(found_); }

 private:
  std::string name_;
  std::string where_;
  std::vector<violation> found_;
};

bool supported(const balancer_descriptor& descriptor, const topology& graph) {
  return !descriptor.guarantees.supports || descriptor.guarantees.supports(graph);
}

/// Transfers between neighbours on the line keep the order: the last items of a node go right, its
/// first items go left, and arriving items join at the side from which they come.
bool keeps_to_line(const topology& graph, const plan& made) {
  if (transfer_count(made) == 0) return true;
  if (!has_locality_line(graph)) return false;
  const auto line = locality_line(graph);
  std::vector<std::size_t> position(line.size());
  for (std::size_t p = 0; p < line.size(); ++p) position[line[p]] = p;
  for (const phase& moves : made.phases) {
    for (const transfer& t : moves) {
      const std::size_t a = position[t.from];
      const std::size_t b = position[t.to];
      if (a + 1 != b && b + 1 != a) return false;
    }
  }
  return true;
}

void check_bounds(const balancer_descriptor& descriptor, const balancer_options& complete,
                  const balance_request& request, const load_vector& after, report& found) {
  const auto& promised = descriptor.guarantees;
  const load_type difference = max_difference(after);
  if (equal_capacities(request.capacities)) {
    if (promised.difference) {
      const auto bound = promised.difference(request, complete);
      if (bound && difference > *bound) {
        found.add("final difference " + std::to_string(difference) + " exceeds the declared " +
                  std::to_string(*bound));
      }
    }
    if (promised.never_widens && difference > max_difference(request.loads)) {
      found.add("the difference grew to " + std::to_string(difference));
    }
    return;
  }
  for (std::size_t k = 0; k < after.size(); ++k) {
    if (request.capacities[k] == 0.0 && after[k] > request.loads[k]) {
      found.add("node " + std::to_string(k) + " takes no work and got some");
    }
  }
  const auto bound = promised.deviation ? promised.deviation(request, complete) : std::nullopt;
  if (!bound) return;
  long double sum = 0;
  for (const double c : request.capacities) sum += static_cast<long double>(c);
  const auto total = static_cast<long double>(total_load(request.loads));
  for (std::size_t k = 0; k < after.size(); ++k) {
    const long double share = total * static_cast<long double>(request.capacities[k]) / sum;
    const long double off = std::abs(static_cast<long double>(after[k]) - share);
    // The share itself is only known to the last digit of its type.
    const long double slack = 1e-6L + share * 1e-15L;
    if (off > static_cast<long double>(*bound) + slack) {
      found.add("node " + std::to_string(k) + " ends with " + std::to_string(after[k]) +
                ", further from its share than the declared " + std::to_string(*bound));
    }
  }
}

void expect_refusal(const balancer& made, const balance_request& request, const char* why,
                    report& found) {
  plan out;
  try {
    made.make_plan(request, out);
  } catch (const std::invalid_argument&) {
    return;
  } catch (const std::exception& error) {
    found.add(std::string(why) +
              " must be refused by std::invalid_argument, came: " + error.what());
    return;
  }
  found.add(std::string(why) + " must be refused, was planned");
}

std::vector<load_vector> sample_loads(std::size_t nodes, splitmix& draw, unsigned rounds) {
  constexpr load_type most = std::numeric_limits<load_type>::max();
  const auto n = static_cast<load_type>(nodes);
  std::vector<load_vector> all;
  for (const load_type equal : {load_type{0}, load_type{1}, load_type{1000}, most / n}) {
    all.emplace_back(nodes, equal);
  }
  for (const std::size_t place : {std::size_t{0}, nodes / 2, nodes - 1}) {
    for (const load_type load : {load_type{1}, 10 * n + 3, most}) {
      all.emplace_back(nodes, 0);
      all.back()[place] = load;
    }
  }
  all.emplace_back(nodes, most / n - 3);
  all.back()[0] += 2;
  load_vector steps(nodes);
  load_vector ramp(nodes);
  for (std::size_t k = 0; k < nodes; ++k) {
    steps[k] = 3 + std::popcount(k);
    ramp[k] = static_cast<load_type>(k);
  }
  all.push_back(steps);
  all.push_back(ramp);
  constexpr std::uint64_t sizes[] = {1, 2, 7, 60, 100000, 1000000000000};
  for (unsigned i = 0; i < rounds; ++i) {
    all.emplace_back(nodes);
    for (auto& load : all.back()) load = static_cast<load_type>(draw.below(sizes[i % 6] + 1));
  }
  return all;
}

void append(std::vector<violation>& all, std::vector<violation> some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

void check_refusals(const balancer_descriptor& descriptor, const balancer_options& options,
                    const topology& graph, const load_vector& loads, std::vector<violation>& all) {
  const balance_request plain{.graph = graph, .loads = loads};
  report found(descriptor, options, plain);
  const auto made = descriptor.make(complete_options(descriptor, options));
  load_vector longer = loads;
  longer.push_back(1);
  expect_refusal(*made, {.graph = graph, .loads = longer}, "one load too many", found);
  load_vector negative = loads;
  negative[0] = -1;
  expect_refusal(*made, {.graph = graph, .loads = negative}, "a negative load", found);
  if (graph.nodes() > 1) {
    load_vector over(loads.size(), std::numeric_limits<load_type>::max());
    expect_refusal(*made, {.graph = graph, .loads = over}, "a sum beyond the load type", found);
  }
  const std::vector<double> zero(loads.size(), 0.0);
  expect_refusal(*made, {.graph = graph, .loads = loads, .capacities = zero},
                 "capacities that are all 0", found);
  std::vector<double> bad(loads.size(), 1.0);
  bad[0] = std::numeric_limits<double>::quiet_NaN();
  expect_refusal(*made, {.graph = graph, .loads = loads, .capacities = bad},
                 "a capacity that is no number", found);
  append(all, found.take());
}

void check_network(const balancer_descriptor& descriptor, const balancer_options& options,
                   const topology& graph, const settings& how, std::vector<violation>& all) {
  splitmix draw(how.seed);
  const std::size_t nodes = graph.nodes();
  const auto samples = sample_loads(nodes, draw, how.rounds);
  if (!supported(descriptor, graph)) {
    const balance_request request{.graph = graph, .loads = samples.front()};
    report found(descriptor, options, request);
    expect_refusal(*descriptor.make(complete_options(descriptor, options)), request,
                   "a network it does not declare", found);
    append(all, found.take());
    return;
  }
  for (const auto& loads : samples) {
    append(all,
           check_plan(descriptor, options, {.graph = graph, .loads = loads, .seed = how.seed}));
  }
  check_refusals(descriptor, options, graph, samples.back(), all);

  const std::vector<double> same(nodes, 2.5);
  const auto& loads = samples.back();
  append(all, check_plan(descriptor, options,
                         {.graph = graph, .loads = loads, .capacities = same, .seed = how.seed}));
  if (nodes < 2) return;
  for (unsigned i = 0; i < how.rounds; ++i) {
    std::vector<double> capacities(nodes);
    for (auto& c : capacities) c = static_cast<double>(draw.below(5)) * 0.5;
    capacities[draw.below(nodes)] = 3.25;
    const balance_request request{.graph = graph,
                                  .loads = samples[samples.size() - 1 - i % samples.size()],
                                  .capacities = capacities,
                                  .seed = how.seed};
    if (descriptor.guarantees.honours_capacities) {
      append(all, check_plan(descriptor, options, request));
    } else {
      report found(descriptor, options, request);
      expect_refusal(*descriptor.make(complete_options(descriptor, options)), request,
                     "unequal capacities", found);
      append(all, found.take());
    }
  }
}

/// The defaults, and the defaults with each single choice changed.
std::vector<balancer_options> variations(const balancer_descriptor& descriptor) {
  std::vector<balancer_options> all{{}};
  for (const auto& option : descriptor.options) {
    for (const auto& word : option.choices) {
      if (word != option.default_value) all.push_back({{option.name, word}});
    }
  }
  return all;
}

}  // namespace

std::vector<violation> check_plan(const balancer_descriptor& descriptor,
                                  const balancer_options& options, const balance_request& request) {
  report found(descriptor, options, request);
  try {
    const auto complete = complete_options(descriptor, options);
    const auto made = descriptor.make(complete);
    plan first;
    made->make_plan(request, first);
    validate_plan(request.graph, request.loads, first);
    // Plan again, with another object and into a plan that has other contents.
    plan again{{{{7, 7, 7}}, {}, {{8, 8, 8}}}};
    descriptor.make(complete)->make_plan(request, again);
    if (first != again) found.add("the same request gave two different plans");

    const auto after = final_loads(first, request.loads);
    if (total_load(after) != total_load(request.loads)) found.add("the total changed");
    check_bounds(descriptor, complete, request, after, found);
    if (descriptor.guarantees.idle_when_equal && equal_capacities(request.capacities) &&
        max_difference(request.loads) == 0 && transfer_count(first) > 0) {
      found.add("equal loads were moved");
    }
    if (descriptor.guarantees.preserves_order && !keeps_to_line(request.graph, first)) {
      found.add("the order of tasks is not kept");
    }
  } catch (const std::exception& error) {
    found.add(std::string("threw: ") + error.what());
  }
  return found.take();
}

std::vector<violation> check_balancer(const balancer_descriptor& descriptor, const settings& how) {
  std::vector<violation> all;
  std::vector<std::string> networks = how.networks;
  for (const char* kind : {"cube", "ring", "linear", "complete", "star", "fibonacci-composite"}) {
    for (const char* nodes : {":1", ":2", ":3"}) networks.push_back(std::string(kind) + nodes);
  }
  for (const char* tiny : {"hypercube:0", "hypercube:1", "mesh:1x1", "mesh:1x2", "mesh:3x1",
                           "torus:1x3", "fibonacci:2", "fibonacci:4"}) {
    networks.emplace_back(tiny);
  }
  for (const auto& options : variations(descriptor)) {
    for (const auto& network : networks) {
      check_network(descriptor, options, topology::parse(network), how, all);
    }
  }
  return all;
}

std::string to_string(const std::vector<violation>& violations) {
  std::string text;
  for (const auto& v : violations) {
    text += v.balancer + ": " + v.what + " (" + v.where + ")\n";
  }
  return text;
}

}  // namespace evencube::conformance
