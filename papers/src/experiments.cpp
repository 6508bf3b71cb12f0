#include "kit.hpp"

#include <array>
#include <stdexcept>

namespace evencube::papers {
namespace {

constexpr std::array all{
    experiment{"rim-table-1", "How often each difference is left, over all load vectors",
               "Rim, Jang, Kim 2003, Table 1, Section 4", rim_table_1},
    experiment{"rim-fig-3", "A worst case of the dimension exchange method",
               "Rim, Jang, Kim 2003, Fig. 3, Sections 2.1 and 3.1", rim_figure_3},
    experiment{"rim-fig-6", "A worst case of the odd-even method",
               "Rim, Jang, Kim 2003, Fig. 6, Section 3.1", rim_figure_6},
    experiment{"rim-fig-7-8", "Average maximum difference under DEM and OEM in an event simulation",
               "Rim, Jang, Kim 2003, Figs. 7 and 8, Section 4", rim_figures_7_8},
    experiment{"rim-fig-9", "Speed-up after balancing by DEM and by OEM",
               "Rim, Jang, Kim 2003, Fig. 9, Section 4", rim_figure_9},
    experiment{"rim-fig-10-11", "Communication of CWA and of OEM, two worked examples",
               "Rim, Jang, Kim 2003, Figs. 10 and 11, Section 5.2", rim_figures_10_11},
    experiment{"rim-fig-12-13", "Communication of CWA against OEM",
               "Rim, Jang, Kim 2003, Figs. 12 and 13, Section 5.2", rim_figures_12_13},
    experiment{"rim-fig-14-21", "Overlapping and pipelining: the worked examples step by step",
               "Rim, Jang, Kim 2003, Figs. 14-21, Sections 6.1 and 6.2", rim_figures_14_21},
    experiment{"rim-fig-22-23", "Overlapping and pipelining over the evenness of the loads",
               "Rim, Jang, Kim 2003, Figs. 22 and 23, Section 6.3", rim_figures_22_23},
    experiment{"rim-table-2", "OEM against CWA as N grows",
               "Rim, Jang, Kim 2003, Table 2, Section 5.5", rim_table_2},
    experiment{"rim-hybrid", "The odd-even method first, then CWA",
               "Rim, Jang, Kim 2003, Section 5.5", rim_hybrid},
    experiment{"rim-abstract", "The savings that the abstract and the introduction name",
               "Rim, Jang, Kim 2003, abstract, Sections 1 and 6.3", rim_abstract},
    experiment{"loh-fig-1-3", "The worked examples of the gradient model, SI and RI",
               "Loh, Hsu, Cai, Sriskanthan 1996, Figs. 1 to 3", loh_figures_1_3},
    experiment{"loh-table-a", "Fibonacci codes", "Loh, Hsu, Cai, Sriskanthan 1996, Table A",
               loh_table_a},
    experiment{"loh-table-1", "Parameters of the four networks of 16 nodes",
               "Loh, Hsu, Cai, Sriskanthan 1996, Table 1", loh_table_1},
    experiment{"loh-table-2-3",
               "Execution times and normalised performance of five strategies on four networks",
               "Loh, Hsu, Cai, Sriskanthan 1996, Tables 2 and 3", loh_tables_2_3},
    experiment{"loh-fig-7-8", "Normalised performance and stabilisation time over the networks",
               "Loh, Hsu, Cai, Sriskanthan 1996, Figs. 7 and 8", loh_figures_7_8},
    experiment{"cybenko-theorem-1-to-5", "Diffusion and dimension exchange: the five theorems",
               "Cybenko 1989, Theorems 1-5, Lemmas 2 and 3", cybenko_theorems},
    experiment{"cybenko-table-1-2", "Diffusion against dimension exchange in equal time",
               "Cybenko 1989, Tables I and II, Section 5", cybenko_tables},
    experiment{"mehrotra-theory", "Maximum, shift and distance: formulas against Monte-Carlo",
               "Mehrotra, Ranka, Wang 1992, Section 3", mehrotra_theory},
    experiment{"mehrotra-application", "The conditional loop: when does balancing pay?",
               "Mehrotra, Ranka, Wang 1992, Section 4", mehrotra_application},
    experiment{"mehrotra-loop", "The conditional loop on threads, by the three data movements",
               "Mehrotra, Ranka, Wang 1992, Sections 2 and 4", mehrotra_loop},
    experiment{"berenbrink-theorem",
               "Dimension exchange with the odd unit at random ends with a difference of 3",
               "Berenbrink et al. 2025, arXiv 2510.15473, abstract", berenbrink_theorem}};

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
