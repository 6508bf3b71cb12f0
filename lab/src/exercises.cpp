#include "exercises.hpp"

#include <algorithm>
#include <array>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

namespace evencube::lab {
namespace {

constexpr std::array<exercise, 10> exercises{{
    {"dem-pair", "The odd unit",
     "Two processors have 14 and 21 units. Dimension exchange (DEM) halves the sum, and the more "
     "loaded one keeps the odd unit. What are the final loads?",
     "Rim et al. 2003, Section 2", "hypercube:1", "dem", "", -1, "14,21", "loads", "17,18",
     "The sum is 35. Node 1 has more, so it keeps 18 of them, and 4 units move less than 7."},
    {"oem-pair", "Odd to the lower id",
     "The odd-even method (OEM) gives the odd one of the two halves to the lower id, whoever has "
     "more. Two processors have 4 and 7 units. What are the final loads?",
     "Rim et al. 2003, Section 3", "hypercube:1", "oem", "", -1, "4,7", "loads", "5,6",
     "The sum is 11 and its halves are 5 and 6. The odd one, 5, stays at node 0."},
    {"dem-stuck", "Nothing moves",
     "Find loads of the cube with 8 nodes that DEM leaves as they are although they differ by 3, "
     "as "
     "much as DEM can ever leave.",
     "Rim et al. 2003, Figure 3", "hypercube:3", "dem", "", -1, "", "loads", "0,1,1,2,1,2,2,3",
     "Each load is the number of ones in the node's id. Neighbours differ by one unit, and DEM "
     "lets "
     "such pairs be."},
    {"half-of-it", "log N, and half of it",
     "Find loads of the cube with 16 nodes for which DEM leaves a difference of 4 and OEM at most "
     "half of it.",
     "Rim et al. 2003, Section 3", "hypercube:4", "dem", "", -1, "", "loads",
     "0,1,1,2,1,2,2,3,1,2,2,3,2,3,3,4",
     "On the worst loads of DEM, which keep their difference of log N = 4, OEM moves odd units and "
     "ends within its bound of 2."},
    {"oem-bound", "The theorem is sharp",
     "Theorem 1 says that OEM leaves a difference of at most ceil(log N / 2). Find loads of the "
     "cube with 8 nodes for which it leaves 2.",
     "Rim et al. 2003, Theorem 1", "hypercube:3", "oem", "", -1, "", "loads", "2,2,2,3,0,2,2,3",
     "The bound is attained for every number of dimensions. The button for the worst loads of OEM "
     "shows such loads for each cube."},
    {"cwa-quotas", "86 units on 8 nodes",
     "Cube walking (CWA) ends at quotas that differ by at most 1. How many of the 8 nodes have 11 "
     "units in the end?",
     "Rim et al. 2003, Section 4", "hypercube:3", "cwa", "", -1, "86,0,0,0,0,0,0,0", "number", "6",
     "86 = 8 x 10 + 6: six nodes end with 11 units and two with 10, wherever the units were "
     "before."},
    {"pipelining", "Unit by unit",
     "Node 0 has 15 units, the others 1. DEM takes 7 + 3 + 2 = 12 steps phase by phase, and 10 "
     "with "
     "overlapped phases. How many does it take with pipelining?",
     "Rim et al. 2003, Figures 18 and 19", "hypercube:3", "dem", "", -1, "15,1,1,1,1,1,1,1",
     "number", "7",
     "The busiest link, from node 0 to node 1, carries 7 units, and every other unit travels in "
     "the "
     "meantime."},
    {"diffusion-stalls", "Diffusion gets stuck",
     "With whole units, a link over which less than one unit would flow carries nothing. Find "
     "loads "
     "of the cube with 8 nodes with a difference of at least 3 that diffusion leaves as they are.",
     "After Cybenko 1989, Section 3", "hypercube:3", "diffusion", "target=0", -1, "", "loads",
     "0,1,1,2,1,2,2,3",
     "The best weight is 1 / (d + 1) = 1/4. A link whose ends differ by at most 3 carries no whole "
     "unit, so even neighbours that differ by 3 are stuck."},
    {"receiver", "A node asks its neighbours",
     "Node 0 has 2 units; its neighbours 1 to 4 have 14, 13, 12 and 9. It is below its low mark of "
     "6 and asks each neighbour for its share, rounded up, of what is missing to the mean. What "
     "are "
     "the final loads?",
     "Loh et al. 1996, Section 2.3", "star:5", "receiver_initiated", "low=6", 0, "2,14,13,12,9",
     "loads", "11,10,10,10,9",
     "The mean is 10, so 8 units are missing. The neighbours are above it by 4, 3, 2 and 0, and "
     "the "
     "shares 3.56, 2.67, 1.78 and 0 are rounded up to 4, 3, 2 and 0: one unit more than is "
     "missing."},
    {"line", "Keeping the order",
     "Four processors in a line have 8, 0, 0 and 4 units. The shift that keeps neighbouring units "
     "together leaves 3 at each. How many units cross a link, all links together?",
     "Mehrotra et al. 1992, Section 2", "linear:4", "locality", "", -1, "8,0,0,4", "number", "8",
     "5 units cross the first link and 2 the second; 1 unit comes back over the third."},
}};

const exercise& named(std::string_view name) {
  const auto found = std::find_if(exercises.begin(), exercises.end(),
                                  [&](const exercise& one) { return one.name == name; });
  if (found == exercises.end()) throw refusal("There is no exercise " + in_quotes(name) + ".");
  return *found;
}

plan planned(const exercise& of, std::string_view balancer, const topology& graph,
             std::span<const load_type> loads) {
  balancer_options options;
  if (const auto equals = of.option.find('='); equals != std::string_view::npos) {
    options.emplace(of.option.substr(0, equals), of.option.substr(equals + 1));
  }
  balance_request request{.graph = graph, .loads = loads};
  if (of.initiator >= 0) request.initiator = static_cast<node_id>(of.initiator);
  plan moves;
  make_balancer(balancer, options)->make_plan(request, moves);
  return moves;
}

std::string text_of(std::span<const load_type> loads) {
  std::string text;
  for (const load_type load : loads) text += (text.empty() ? "" : ", ") + std::to_string(load);
  return text;
}

/// What is missing of the property that the found loads must have; empty if nothing is.
std::string missing_of_found(const exercise& of, const topology& graph,
                             std::span<const load_type> loads) {
  const auto moves = planned(of, of.balancer, graph, loads);
  const auto after = final_loads(moves, loads);
  const auto difference = max_difference(after);
  const auto left = std::to_string(difference);
  if (of.name == "oem-bound") {
    return difference == 2 ? "" : "OEM leaves a difference of " + left + " here, not 2.";
  }
  if (of.name == "half-of-it") {
    if (difference != 4) return "DEM leaves a difference of " + left + " here, not 4.";
    const auto other = max_difference(final_loads(planned(of, "oem", graph, loads), loads));
    return other <= 2 ? "" : "OEM leaves " + std::to_string(other) + " here, more than half.";
  }
  if (max_difference(loads) < 3) {
    return "These loads differ by " + std::to_string(max_difference(loads)) + " only.";
  }
  if (transfer_count(moves) != 0)
    return "Here units move: the final loads are " + text_of(after) + ".";
  return "";
}

/// The number that the exercise asks for.
load_type number_asked(const exercise& of, const topology& graph,
                       std::span<const load_type> loads) {
  const auto moves = planned(of, of.balancer, graph, loads);
  if (of.name == "pipelining") return transmission_cost(transmission::pipelined, loads, moves);
  if (of.name == "line") return task_hops(moves);
  const auto after = final_loads(moves, loads);
  return std::count(after.begin(), after.end(), 11);
}

}  // namespace

std::span<const exercise> all_exercises() { return exercises; }

verdict check_answer(std::string_view name, std::string_view given) {
  const exercise& of = named(name);
  const auto graph = topology::parse(of.topology);
  const auto answer = loads_of_text(given);
  const bool number = of.asks == "number";
  const std::size_t wanted = number ? 1 : graph.nodes();
  if (answer.size() != wanted) {
    throw refusal(
        number ? "The answer is one number."
               : "The answer has " + std::to_string(wanted) + " loads, and here " +
                     (answer.size() == 1 ? "is 1." : "are " + std::to_string(answer.size()) + "."));
  }
  if (of.loads.empty()) {
    const auto missing = missing_of_found(of, graph, answer);
    return {missing.empty(), missing.empty() ? "Right. " + std::string(of.why) : missing, answer};
  }
  const auto loads = loads_of_text(of.loads);
  const bool right = number ? answer[0] == number_asked(of, graph, loads)
                            : answer == final_loads(planned(of, of.balancer, graph, loads), loads);
  return {right,
          right ? "Right. " + std::string(of.why)
                : "The planner ends elsewhere. Watch it in the cube view, or try again.",
          loads};
}

}  // namespace evencube::lab
