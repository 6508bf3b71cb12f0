#pragma once

#include <evencube/papers/reproduction.hpp>

// One function per table or figure; the registry in experiments.cpp names them.

namespace evencube::papers {

reproduction rim_table_1(const reproduce_options& options);
reproduction rim_figure_3(const reproduce_options& options);
reproduction rim_figures_7_8(const reproduce_options& options);
reproduction rim_figure_9(const reproduce_options& options);
reproduction rim_figures_12_13(const reproduce_options& options);
reproduction rim_figures_14_21(const reproduce_options& options);
reproduction rim_figures_22_23(const reproduce_options& options);
reproduction rim_table_2(const reproduce_options& options);
reproduction loh_table_1(const reproduce_options& options);
reproduction loh_tables_2_3(const reproduce_options& options);
reproduction loh_figures_7_8(const reproduce_options& options);
reproduction cybenko_theorems(const reproduce_options& options);
reproduction cybenko_tables(const reproduce_options& options);
reproduction mehrotra_theory(const reproduce_options& options);
reproduction mehrotra_application(const reproduce_options& options);

}  // namespace evencube::papers
