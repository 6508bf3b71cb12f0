#pragma once

#include <evencube/papers/reproduction.hpp>
#include <evencube/simulator/statistics.hpp>

namespace evencube::papers {

// Parts of the experiment cybenko-theorem-1-to-5; each adds its tables and verdicts.

void cybenko_convergence(const reproduce_options& options, reproduction& done);
void cybenko_spectrum(const reproduce_options& options, reproduction& done);
void cybenko_sweep(const reproduce_options& options, reproduction& done);

/// How work is balanced while noise of variance 1 comes in at every node and step.
enum class dynamic_scheme {
  diffusion,     ///< one diffusion step with weight 1/(d+1) per arrival of noise
  one_exchange,  ///< one dimension per arrival, eq. (17)
  whole_sweep    ///< all d dimensions per arrival
};

/// Steady E||w - mean||^2 on the d-cube by sampling: mean over replications of time averages.
simulator::summary steady_variance(dynamic_scheme scheme, unsigned d, std::size_t replications,
                                   std::size_t steps, const reproduce_options& options, double from,
                                   double to, bool& partial);

/// The same exactly, for noise of variance 1: sum over the modes of the cube.
double exact_variance(dynamic_scheme scheme, unsigned d);

}  // namespace evencube::papers
