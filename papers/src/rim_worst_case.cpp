#include <bit>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>

#include "experiments.hpp"
#include "load_samples.hpp"

namespace evencube::papers {

void rim_figure_3(notebook& book) {
  constexpr load_type base = 3;
  constexpr unsigned largest = 12;
  book.done.method =
      "Node k of a d-cube starts with a + popcount(k) units. Partners in every dimension differ by "
      "one unit, so DEM, where the larger member keeps the odd unit, moves nothing. The same loads "
      "are given to OEM.";
  book.done.parameters = {
      {"a (least load)", fmt::to_string(base), "ours; the paper leaves it open"},
      {"d", fmt::format("1 .. {}", largest), "the paper shows d = 4"}};
  data_table& table = book.table(
      "difference", {"d", "nodes", "difference before", "DEM units moved", "DEM difference after",
                     "OEM difference after", "OEM bound ceil(d/2)"});
  const auto dem = make_balancer("dem");
  const auto oem = make_balancer("oem");
  bool dem_is_log_n = true;
  bool oem_in_bound = true;
  load_type paper_case = 0;
  for (unsigned d = 1; d <= largest; ++d) {
    const topology graph = topology::hypercube(d);
    std::vector<load_type> loads(graph.nodes());
    for (node_id k = 0; k < graph.nodes(); ++k) loads[k] = base + std::popcount(k);
    const load_type moved = task_hops(planned_by(*dem, graph, loads));
    const load_type after_dem = left_by(*dem, graph, loads);
    const load_type after_oem = left_by(*oem, graph, loads);
    dem_is_log_n = dem_is_log_n && moved == 0 && after_dem == load_type{d};
    oem_in_bound = oem_in_bound && after_oem <= load_type{(d + 1) / 2};
    if (d == 4) paper_case = after_dem;
    add(table, d, graph.nodes(), max_difference(loads), moved, after_dem, after_oem, (d + 1) / 2);
  }
  book.row("difference DEM leaves, 16 processors", "4", paper_case,
           "The caption of the figure says 8 processors; its text and numbers are for 16.");
  book.row("DEM moves nothing and leaves log N, d = 1 .. 12", "log N in the worst case",
           proven(dem_is_log_n, "log N, nothing moved", "not always log N"));
  book.row("OEM on the same loads", "at most ceil(log N / 2)",
           proven(oem_in_bound, "within the bound", "above the bound"));
  book.draw("difference", "Loads a + popcount(k): difference after balancing", table,
            {"dimensions d", {"d"}},
            {"maximum - minimum load", {"DEM difference after", "OEM difference after"}});
}

}  // namespace evencube::papers
