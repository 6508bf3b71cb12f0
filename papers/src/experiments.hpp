#pragma once

#include "kit.hpp"

// One function per table or figure; the registry in experiments.cpp names them.

namespace evencube::papers {

void rim_table_1(notebook& book);
void rim_figure_3(notebook& book);
void rim_figures_7_8(notebook& book);
void rim_figure_9(notebook& book);
void rim_figures_12_13(notebook& book);
void rim_figures_14_21(notebook& book);
void rim_figures_22_23(notebook& book);
void rim_table_2(notebook& book);
void loh_table_1(notebook& book);
void loh_tables_2_3(notebook& book);
void loh_figures_7_8(notebook& book);
void cybenko_theorems(notebook& book);
void cybenko_tables(notebook& book);
void mehrotra_theory(notebook& book);
void mehrotra_application(notebook& book);

}  // namespace evencube::papers
