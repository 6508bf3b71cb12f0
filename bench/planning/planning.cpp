/// Measures how long planning takes. It prints the time per plan against the number of nodes for
/// every registered balancer whose work is near-linear, and the dense sweeps of DEM and OEM next to
/// memcpy of the loads once per dimension. It also prints the time of diffusion, gradient, hybrid
/// and locality for each link that they visit, next to DEM's time, interleaved in the same run.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/balancers/exchange.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>

#include "../common/program.hpp"
#include "../common/spread.hpp"

namespace {

using bench::json_of;
using bench::spread;
using bench::summary;
using bench::timed;
using evencube::load_type;

struct settings {
  unsigned most_dimensions = 20;
  unsigned repetitions = 9;
  bool json = false;
};

std::vector<load_type> random_loads(std::size_t nodes) {
  std::mt19937_64 random(nodes);
  std::vector<load_type> loads(nodes);
  for (auto& load : loads) load = static_cast<load_type>(random() % 1000);
  return loads;
}

/// Times one balancer on one cube. Small plans are repeated until the clock can measure them.
spread time_plan(const std::string& name, unsigned dimensions, const settings& how) {
  const auto graph = evencube::topology::hypercube(dimensions);
  const auto loads = random_loads(graph.nodes());
  const auto made = evencube::make_balancer(name);
  evencube::plan out;
  const evencube::balance_request request{.graph = graph, .loads = loads};
  made->make_plan(request, out);
  const double once = timed([&] { made->make_plan(request, out); });
  const auto rounds = static_cast<unsigned>(std::clamp(0.002 / std::max(once, 1e-9), 1.0, 20000.0));
  std::vector<double> seconds;
  seconds.reserve(how.repetitions);
  for (unsigned r = 0; r < how.repetitions; ++r) {
    seconds.push_back(timed([&] {
                        for (unsigned i = 0; i < rounds; ++i) made->make_plan(request, out);
                      }) /
                      rounds);
  }
  return summary(seconds);
}

struct sweep_times {
  spread copy;
  spread dem;
  spread oem;
};

sweep_times time_sweeps(unsigned dimensions, const settings& how) {
  const std::size_t nodes = std::size_t{1} << dimensions;
  const auto initial = random_loads(nodes);
  std::vector<load_type> loads(nodes);
  std::vector<load_type> flows(dimensions * (nodes / 2));
  std::vector<double> copy;
  std::vector<double> dem;
  std::vector<double> oem;
  // The first round warms up and does not count.
  for (unsigned r = 0; r <= how.repetitions; ++r) {
    const double c = timed([&] {
      for (unsigned i = 0; i < dimensions; ++i) {
        std::memcpy(loads.data(), initial.data(), nodes * sizeof(load_type));
        // The result of each copy is read in a way that the compiler cannot foresee, so that it is
        // made.
        asm volatile("" : : "r"(loads.data()) : "memory");
      }
    });
    const double d = timed([&] { evencube::dem_flows(loads, flows); });
    loads = initial;
    const double o = timed([&] { evencube::oem_flows(loads, flows); });
    if (r == 0) continue;
    copy.push_back(c);
    dem.push_back(d);
    oem.push_back(o);
  }
  return {summary(copy), summary(dem), summary(oem)};
}

/// A balancer whose work is counted in visited links: once per link in a sweep of DEM, in every
/// iteration of diffusion, in a sweep of gradient and for every dimension of hybrid. For locality,
/// each link of the line counts once in every step.
struct counted {
  const char* name;
  evencube::balancer_options options;
  const std::vector<load_type>& loads;
};

std::size_t links_looked_at(const counted& what, const evencube::topology& graph,
                            const evencube::plan& made) {
  const std::string_view name = what.name;
  if (name == "locality") return made.phases.size() * (graph.nodes() - 1);
  const std::size_t links = graph.edges();
  return name == "diffusion" ? made.phases.size() * links : links;
}

struct per_link {
  const char* name;
  std::size_t links;
  spread seconds;
  spread of_dem;  // time per link over DEM's time per link in the same repetition
};

std::vector<per_link> time_links(unsigned dimensions, const settings& how) {
  const auto graph = evencube::topology::hypercube(dimensions);
  const auto loads = random_loads(graph.nodes());
  // The shift moves tasks as far as the sums of loads stray. Loads of a thousand, give or take
  // five, stray by a few positions, so that a plan of 2^20 nodes fits the memory.
  std::vector<load_type> nearly_level(graph.nodes());
  for (std::size_t k = 0; k < loads.size(); ++k) nearly_level[k] = 995 + loads[k] / 100;
  const counted all[] = {{"dem", {}, loads},
                         {"hybrid", {}, loads},
                         {"diffusion", {{"iterations", "2"}}, loads},
                         {"gradient", {}, loads},
                         {"locality", {}, nearly_level}};
  std::vector<per_link> found;
  for (const counted& what : all) {
    const auto dem = evencube::make_balancer("dem");
    const auto made = evencube::make_balancer(what.name, what.options);
    evencube::plan of_dem;
    evencube::plan out;
    std::vector<double> seconds;
    std::vector<double> ratios;
    per_link row{what.name, 0, {}, {}};
    // The first round warms up and does not count.
    for (unsigned r = 0; r <= how.repetitions; ++r) {
      const double beside =
          timed([&] { dem->make_plan({.graph = graph, .loads = loads}, of_dem); });
      const double own =
          timed([&] { made->make_plan({.graph = graph, .loads = what.loads}, out); });
      if (r == 0) continue;
      row.links = links_looked_at(what, graph, out);
      seconds.push_back(own);
      const double links_of_dem = static_cast<double>(graph.edges());
      ratios.push_back(own / static_cast<double>(row.links) / (beside / links_of_dem));
    }
    row.seconds = summary(seconds);
    row.of_dem = summary(ratios);
    found.push_back(row);
  }
  return found;
}

/// Least-squares slope of log(seconds) over log(nodes): 1 is linear.
double slope(const std::vector<std::pair<double, double>>& points) {
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  for (const auto& [nodes, seconds] : points) {
    const double x = std::log(nodes);
    const double y = std::log(seconds);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const auto n = static_cast<double>(points.size());
  const double spread_x = n * sxx - sx * sx;
  return spread_x > 0 ? (n * sxy - sx * sy) / spread_x : 0.0;
}

void run(const settings& how) {
  std::ostringstream json;
  json << "{\"benchmark\":\"planning\",\"repetitions\":" << how.repetitions << ",\"plans\":[";
  if (!how.json) std::cout << "balancer   nodes      ns/plan     ns/node   (median)\n";
  // `locality` shifts along a line and is linear per step only. dispatcher, prediction and optimal
  // look at all nodes for every activation. A plan of `diffusion` names every link in every
  // iteration: beyond 2^16 nodes it fills the memory before it takes the time.
  bool first = true;
  for (const char* name : {"none", "dem", "oem", "cwa", "hybrid", "diffusion", "gradient",
                           "sender_initiated", "receiver_initiated", "rotate", "random"}) {
    std::vector<std::pair<double, double>> points;
    const unsigned most = std::string_view(name) == "diffusion" ? std::min(16U, how.most_dimensions)
                                                                : how.most_dimensions;
    for (unsigned d = 3; d <= most; ++d) {
      const auto time = time_plan(name, d, how);
      const double nodes = std::ldexp(1.0, static_cast<int>(d));
      points.emplace_back(nodes, time.median);
      json << (first ? "" : ",") << "{\"balancer\":\"" << name << "\",\"nodes\":" << nodes
           << ",\"seconds\":" << json_of(time) << "}";
      first = false;
      if (!how.json) {
        std::cout << name << '\t' << nodes << '\t' << time.median * 1e9 << '\t'
                  << time.median * 1e9 / nodes << '\n';
      }
    }
    if (!how.json) std::cout << name << "\tslope " << slope(points) << '\n';
  }
  const auto sweeps = time_sweeps(how.most_dimensions, how);
  json << "],\"sweeps\":{\"nodes\":" << std::ldexp(1.0, static_cast<int>(how.most_dimensions))
       << ",\"memcpy_per_dimension\":" << json_of(sweeps.copy) << ",\"dem\":" << json_of(sweeps.dem)
       << ",\"oem\":" << json_of(sweeps.oem)
       << ",\"dem_ratio\":" << sweeps.dem.median / sweeps.copy.median
       << ",\"oem_ratio\":" << sweeps.oem.median / sweeps.copy.median << "},\"links\":[";
  const auto links = time_links(how.most_dimensions, how);
  for (const per_link& row : links) {
    json << (&row == links.data() ? "" : ",") << "{\"balancer\":\"" << row.name
         << "\",\"links\":" << row.links << ",\"seconds\":" << json_of(row.seconds)
         << ",\"of_dem\":" << json_of(row.of_dem) << "}";
  }
  json << "]}";
  if (how.json) {
    std::cout << json.str() << '\n';
    return;
  }
  std::cout << "final loads and all flows at 2^" << how.most_dimensions
            << " nodes, seconds (min median max):\n";
  const auto show = [](const char* name, const spread& s) {
    std::cout << name << '\t' << s.min << ' ' << s.median << ' ' << s.max << '\n';
  };
  show("memcpy", sweeps.copy);
  show("dem", sweeps.dem);
  show("oem", sweeps.oem);
  std::cout << "ratio\tdem " << sweeps.dem.median / sweeps.copy.median << ", oem "
            << sweeps.oem.median / sweeps.copy.median << " (target: at most 4)\n"
            << "planning per link looked at, 2^" << how.most_dimensions
            << " nodes: ns, and over DEM's (min median max; target: at most 3)\n";
  for (const per_link& row : links) {
    std::cout << row.name << '\t' << row.seconds.median * 1e9 / static_cast<double>(row.links)
              << '\t' << row.of_dem.min << ' ' << row.of_dem.median << ' ' << row.of_dem.max
              << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings how;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool valued = i + 1 < argc;
    if (word == "--json") {
      how.json = true;
    } else if (word == "--tiny") {
      how.most_dimensions = 8;
      how.repetitions = 2;
    } else if (word == "--dimensions" && valued) {
      how.most_dimensions = static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 3, 24));
    } else if (word == "--repetitions" && valued) {
      how.repetitions = static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 1, 1000));
    } else {
      std::cerr << "planning: \"" << word
                << "\" is not understood; allowed are --json, --tiny, --dimensions 3..24, "
                   "--repetitions 1..1000\n";
      return 2;
    }
  }
  run(how);
  return 0;
}
