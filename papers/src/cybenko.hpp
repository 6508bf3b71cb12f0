#pragma once

#include "kit.hpp"

namespace evencube::papers {

// Parts of the experiment cybenko-theorem-1-to-5; each adds its tables and verdicts.

void cybenko_convergence(notebook& book);
void cybenko_spectrum(notebook& book);
void cybenko_sweep(notebook& book);

/// "n over k".
[[nodiscard]] double binomial(unsigned n, unsigned k);

}  // namespace evencube::papers
