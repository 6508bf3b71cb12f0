#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

#include "experiments.hpp"
#include "load_samples.hpp"

namespace evencube::papers {
namespace {

// Every step of a transmission as a row: when, what moves, the loads once it has landed.
void add_steps(notebook& book, const char* method, transmission how, std::vector<load_type> loads,
               const plan& planned) {
  data_table& table = book.table(fmt::format("{}-{}", method, to_string(how)),
                                 {"start", "duration", "transfers", "loads after"});
  const auto now = [&] { return fmt::format("{}", fmt::join(loads, " ")); };
  add(table, "", "", "initial loads", now());
  for (const schedule_step& step : make_schedule(how, loads, planned).steps) {
    std::string transfers;
    for (const transfer& t : step.transfers) {
      transfers +=
          fmt::format("{}{:03b}->{:03b}:{}", transfers.empty() ? "" : ", ", t.from, t.to, t.quanta);
      loads[t.from] -= t.quanta;
      loads[t.to] += t.quanta;
    }
    add(table, step.start, step.duration, transfers, now());
  }
}

}  // namespace

void rim_figures_14_21(notebook& book) {
  book.done.method =
      "The loads of Fig. 18 (15 units on node 000, one unit on each other node) are balanced by "
      "DEM and by CWA, and each plan is carried out phase by phase, overlapped and pipelined. "
      "Times are in units of T_comm. The tables show every step.";
  book.done.parameters = {{"loads", "15 1 1 1 1 1 1 1", "Fig. 18"},
                          {"CWA quotas", "halving", "inferred: they give the 13 and 7 of the text"},
                          {"CWA split", "greedy", "ours; with one loaded node all rules agree"}};
  const topology cube = topology::hypercube(3);
  const std::vector<load_type> loads{15, 1, 1, 1, 1, 1, 1, 1};
  const plan dem = planned_by(*make_balancer("dem"), cube, loads);
  const plan cwa = planned_by(*make_balancer("cwa", {{"quota", "halving"}}), cube, loads);
  const auto cost = [&](transmission how, const plan& planned) {
    return transmission_cost(how, loads, planned);
  };
  data_table& costs =
      book.table("costs", {"balancer", "phased", "overlapped", "pipelined", "direct", "task-hops"});
  using enum transmission;
  for (const auto& [name, planned] : {std::pair{"dem", &dem}, std::pair{"cwa", &cwa}}) {
    for (const transmission how : {phased, overlapped, pipelined, direct}) {
      add_steps(book, name, how, loads, *planned);
    }
    add(costs, name, cost(phased, *planned), cost(overlapped, *planned), cost(pipelined, *planned),
        cost(direct, *planned), task_hops(*planned));
  }
  book.draw(
      "costs", "Loads 15, 1, 1, 1, 1, 1, 1, 1 on the 3-cube", costs, {"balancer", {"balancer"}},
      {"communication (T_comm)", {"phased", "overlapped", "pipelined", "direct"}}, {.bars = true});
  book.row("DEM phase by phase (before Fig. 18)", "12", cost(phased, dem));
  book.row("DEM overlapped (Fig. 18)", "10", cost(overlapped, dem));
  book.row("DEM pipelined (Fig. 19)", "7", cost(pipelined, dem),
           "One unit per link and step. Read literally (one unit per processor and step) the "
           "pseudo-code would need 12 steps, as node 000 alone sends 12 units.");
  book.row("CWA overlapped (Fig. 20)", "13", cost(overlapped, cwa),
           "Under the inferred reading that Fig. 20 has the loads of Fig. 18.");
  book.row("CWA pipelined (Fig. 21)", "7", cost(pipelined, cwa));
  book.row("DEM 7 -> 3 (Figs. 14, 15), CWA 10 -> 5 (Figs. 16, 17)", "7 -> 3, 10 -> 5",
           finding::unstated("not computable"),
           "The loads of these figures are in the pictures only.");
}

}  // namespace evencube::papers
