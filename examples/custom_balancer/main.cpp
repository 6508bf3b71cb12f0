/// Registers a balancer that the library does not know, plans with it, checks it with the
/// conformance kit, and runs tasks under it.
#include <atomic>
#include <iostream>

#include <evencube/balancers/conformance.hpp>
#include <evencube/balancers/evaluation.hpp>
#include <evencube/evencube.hpp>

#include "level_links.hpp"

int main() {
  evencube::register_balancer(level_links_descriptor());

  const auto graph = evencube::topology::parse("hypercube:3");
  const std::vector<evencube::load_type> loads{24, 0, 0, 6, 0, 0, 1, 1};
  evencube::plan planned;
  evencube::make_balancer("level_links")->make_plan({.graph = graph, .loads = loads}, planned);
  const auto found = evencube::evaluate(graph, loads, planned);
  for (const auto load : found.final_loads) std::cout << load << ' ';
  std::cout << "- difference " << found.max_difference << ", pipelined " << found.t_comm.pipelined
            << " T_comm\n";

  const auto broken =
      evencube::conformance::check_balancer(evencube::describe_balancer("level_links"));
  std::cout << evencube::conformance::to_string(broken) << broken.size() << " broken promises\n";

  evencube::runtime cube({.workers = 4, .balancer = "level_links"});
  std::atomic<int> done = 0;
  cube.run([&] { evencube::parallel_for(0, 1000, [&](int) { ++done; }); });
  std::cout << done << " tasks done under it\n";
  return broken.empty() && done == 1000 ? 0 : 1;
}
