/// Registers a balancer that the library does not know, uses it by name and checks it with the
/// conformance kit.
#include "push_right.hpp"

#include <iostream>

#include <evencube/balancers/conformance.hpp>
#include <evencube/balancers/evaluation.hpp>

int main() {
  evencube::register_balancer(push_right_descriptor());

  const auto graph = evencube::topology::parse("linear:6");
  const std::vector<evencube::load_type> loads{24, 0, 0, 6, 0, 0};
  evencube::plan planned;
  evencube::make_balancer("push_right")->make_plan({.graph = graph, .loads = loads}, planned);

  const auto found = evencube::evaluate(graph, loads, planned);
  for (const auto load : found.final_loads) std::cout << load << ' ';
  std::cout << " difference " << found.max_difference << ", pipelined " << found.t_comm.pipelined
            << " T_comm\n";

  const auto broken =
      evencube::conformance::check_balancer(evencube::describe_balancer("push_right"));
  std::cout << evencube::conformance::to_string(broken) << broken.size() << " broken promises\n";
  return broken.empty() ? 0 : 1;
}
