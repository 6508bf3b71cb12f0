#include "experiments.hpp"

#include <array>
#include <stdexcept>

namespace evencube::papers {
namespace {

constexpr std::array all{
    experiment{"rim-table-1", "Differences left, over all load vectors", rim_table_1},
    experiment{"rim-fig-3", "A worst case of the dimension exchange method", rim_figure_3},
    experiment{"rim-fig-7-8", "Average maximum difference, DEM against OEM", rim_figures_7_8},
    experiment{"rim-fig-9", "Speed-up, DEM against OEM", rim_figure_9},
    experiment{"rim-fig-12-13", "Communication of CWA against OEM", rim_figures_12_13},
    experiment{"rim-fig-14-21", "Overlapping and pipelining step by step", rim_figures_14_21},
    experiment{"rim-fig-22-23", "Overlapping and pipelining over evenness", rim_figures_22_23},
    experiment{"rim-table-2", "OEM against CWA as N grows", rim_table_2},
    experiment{"loh-table-1", "Parameters of four networks", loh_table_1},
    experiment{"loh-table-2-3", "Five strategies on four networks", loh_tables_2_3},
    experiment{"loh-fig-7-8", "Performance and stabilisation over networks", loh_figures_7_8},
    experiment{"cybenko-theorem-1-to-5", "Diffusion and exchange: the theorems", cybenko_theorems},
    experiment{"cybenko-table-1-2", "Diffusion against exchange in equal time", cybenko_tables},
    experiment{"mehrotra-theory", "Maximum, shift and distance", mehrotra_theory},
    experiment{"mehrotra-application", "When does balancing pay?", mehrotra_application}};

}  // namespace

std::span<const experiment> experiments() noexcept { return all; }

const experiment& find_experiment(std::string_view id) {
  if (id == "table-1") id = "rim-table-1";
  std::string known;
  for (const experiment& e : all) {
    if (e.id == id) return e;
    known += (known.empty() ? "" : ", ") + std::string(e.id);
  }
  throw std::invalid_argument("unknown reproduction '" + std::string(id) + "', known: " + known);
}

}  // namespace evencube::papers
