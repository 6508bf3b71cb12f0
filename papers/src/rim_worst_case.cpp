#include <algorithm>
#include <bit>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>

#include "experiments.hpp"
#include "support.hpp"

namespace evencube::papers {

reproduction rim_figure_3(const reproduce_options& options) {
  reproduction done;
  done.id = "rim-fig-3";
  done.title = "A worst case of the dimension exchange method";
  done.source = "Rim, Jang, Kim 2003, Fig. 3, Sections 2.1 and 3.1";
  done.method =
      "Node k of a d-cube starts with a + popcount(k) units. Partners in every dimension differ by "
      "one unit, so DEM, where the larger member keeps the odd unit, moves nothing. The same loads "
      "are given to OEM.";
  constexpr load_type base = 3;
  constexpr unsigned largest = 12;
  done.parameters = {{"a (least load)", text_of(base), "ours; the paper leaves it open"},
                     {"d", "1 .. " + text_of(largest), "the paper shows d = 4"}};
  data_table table{"difference",
                   {"d", "nodes", "difference before", "DEM units moved", "DEM difference after",
                    "OEM difference after", "OEM bound ceil(d/2)"},
                   {}};
  const auto dem = make_balancer("dem");
  const auto oem = make_balancer("oem");
  bool dem_is_log_n = true;
  bool oem_in_bound = true;
  std::string paper_case;
  for (unsigned d = 1; d <= largest; ++d) {
    const topology graph = topology::hypercube(d);
    std::vector<load_type> loads(graph.nodes());
    for (node_id k = 0; k < graph.nodes(); ++k) loads[k] = base + std::popcount(k);
    plan planned;
    dem->make_plan({.graph = graph, .loads = loads}, planned);
    const load_type moved = task_hops(planned);
    const load_type after_dem = max_difference(final_loads(planned, loads));
    oem->make_plan({.graph = graph, .loads = loads}, planned);
    const load_type after_oem = max_difference(final_loads(planned, loads));
    dem_is_log_n = dem_is_log_n && moved == 0 && after_dem == load_type{d};
    oem_in_bound = oem_in_bound && after_oem <= load_type{(d + 1) / 2};
    if (d == 4) paper_case = std::to_string(after_dem);
    table.rows.push_back({text_of(d), text_of(graph.nodes()), std::to_string(max_difference(loads)),
                          std::to_string(moved), std::to_string(after_dem),
                          std::to_string(after_oem), text_of((d + 1) / 2)});
  }
  if (options.progress) options.progress(1);
  done.tables.push_back(table);
  done.pictures.push_back({"difference",
                           "Loads a + popcount(k): difference after balancing",
                           "difference",
                           "d",
                           {"DEM difference after", "OEM difference after"},
                           "",
                           "dimensions d",
                           "maximum - minimum load"});
  done.verdicts = {
      {"difference DEM leaves, 16 processors", "4", paper_case,
       paper_case == "4" ? agreement::equal : agreement::opposite,
       "The caption of the figure says 8 processors; its text and numbers are for 16."},
      {"DEM moves nothing and leaves log N, d = 1 .. 12", "log N in the worst case",
       dem_is_log_n ? "log N, nothing moved" : "not always log N",
       dem_is_log_n ? agreement::equal : agreement::opposite, ""},
      {"OEM on the same loads", "at most ceil(log N / 2)",
       oem_in_bound ? "within the bound" : "above the bound",
       oem_in_bound ? agreement::equal : agreement::opposite, ""}};
  return done;
}

}  // namespace evencube::papers
