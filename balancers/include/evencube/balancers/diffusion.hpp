#pragma once

#include <memory>
#include <span>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/fraction.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The extreme eigenvalues of a network's Laplacian L = D - A: mu_2 (the second smallest, which is
/// 0 only for a single node) and mu_n (the largest).
struct laplacian_spectrum {
  double second = 0.0;
  double largest = 0.0;
};

/// Returns the extreme eigenvalues of the network. Uses closed forms for hypercubes, grids, rings,
/// linear arrays, complete networks and stars, and a Lanczos iteration with full
/// reorthogonalisation for other networks. The iteration takes time O(steps * (edges + steps *
/// nodes)) with at most 300 steps, and is exact up to rounding for up to 301 nodes.
[[nodiscard]] EVENCUBE_EXPORT laplacian_spectrum spectrum(const topology& graph);
/// Returns the network's extreme eigenvalues, always by the Lanczos iteration of `spectrum`.
[[nodiscard]] EVENCUBE_EXPORT laplacian_spectrum lanczos_spectrum(const topology& graph);

/// Returns the best uniform diffusion weight min(2 / (mu_2 + mu_n), 1 / max degree) (Cybenko 1989,
/// Lemma 2, for M = I - a L); 0 for a single node.
[[nodiscard]] EVENCUBE_EXPORT double optimal_weight(const topology& graph);
/// Returns the best uniform diffusion weight for `graph`, whose spectrum is `known`.
[[nodiscard]] EVENCUBE_EXPORT double optimal_weight(const topology& graph,
                                                    const laplacian_spectrum& known);

/// Returns the best uniform diffusion weight as a fraction: the first convergent of its continued
/// fraction within 10^-12 of the weight (1/3 on the square, 1/(d+1) on the d-cube). The result is
/// at most 1 / max degree, and 0 for a single node. The balancer `diffusion` uses exactly this
/// fraction.
[[nodiscard]] EVENCUBE_EXPORT fraction optimal_fraction(const topology& graph);

/// Returns gamma(M) = max(|1 - a mu_2|, |1 - a mu_n|) for a uniform weight a. Each iteration
/// contracts the distance to the uniform load by this factor (Cybenko 1989, (11)).
[[nodiscard]] EVENCUBE_EXPORT double convergence_factor(const laplacian_spectrum& known,
                                                        double weight);

/// A link with its own diffusion weight a_ij = a_ji >= 0.
struct weighted_link {
  node_id a;
  node_id b;
  double weight;
};

/// Carries out one iteration of real-valued diffusion with a uniform weight a (Cybenko 1989, (1a)):
/// w_i += a sum_j (w_j - w_i). O(edges).
EVENCUBE_EXPORT void diffuse(const topology& graph, double weight, std::vector<double>& loads);
/// Carries out one iteration of real-valued diffusion with a weight for each link. O(links).
EVENCUBE_EXPORT void diffuse(std::span<const weighted_link> links, std::vector<double>& loads);

/// Carries out one phase of real-valued dimension exchange: each pair along `dimension` averages
/// its loads (Cybenko 1989, Section 4). loads.size() must be a power of two.
EVENCUBE_EXPORT void exchange(unsigned dimension, std::vector<double>& loads);

/// The rule that rounds real flows to whole quanta.
enum class diffusion_form {
  /// floor(a |w_i - w_j|) quanta, computed exactly, flow from the heavier end of a link. The flow
  /// never widens the difference. Diffusion stalls when the difference across every link is below 1
  /// / a.
  floor,
  /// Real-valued loads are computed alongside. The total real flow over a link is rounded (halves
  /// away from 0), and the quanta already sent are subtracted. As long as no node runs out of
  /// quanta, each load differs from the real load by at most half the node's degree. Let D be the
  /// common denominator of the weights and n their largest numerator. The flow is exact for the
  /// first t iterations, with total load * n * D^t < 2^120; after these it is computed in units of
  /// D^-t.
  carry
};

/// Makes the diffusion balancer with explicit weights. Each weight is converted by fraction_of()
/// (1.0 / 3 is a third), and the weights at every node must sum to at most 1. The balancer stops
/// after `iterations` iterations, once the difference is at most `target`, or when nothing moves
/// any more. Throws std::invalid_argument for a negative weight or a sum above 1. The balancer's
/// make_plan throws if the topology lacks one of the links, or has a link without a weight.
[[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<balancer> make_weighted_diffusion(
    std::vector<weighted_link> links, diffusion_form form, std::size_t iterations,
    load_type target);

}  // namespace evencube
