#include <evencube/balancers/evaluation.hpp>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/transmission.hpp>

namespace evencube {

plan_evaluation evaluate(const topology& graph, std::span<const load_type> loads,
                         const plan& planned) {
  validate_plan(graph, loads, planned);
  plan_evaluation found;
  found.final_loads = final_loads(planned, loads);
  found.max_difference = max_difference(found.final_loads);
  found.task_hops = task_hops(planned);
  found.max_link = max_link(planned);
  const auto cost = [&](transmission how) { return transmission_cost(how, loads, planned); };
  found.t_comm = {cost(transmission::phased), cost(transmission::overlapped_rounds),
                  cost(transmission::overlapped), cost(transmission::pipelined),
                  cost(transmission::direct)};
  return found;
}

}  // namespace evencube
