#pragma once

#include <memory>
#include <span>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/fraction.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Extreme eigenvalues of a network's Laplacian L = D - A: mu_2 (the smallest but the first, 0 only
/// for one node) and mu_n (the largest).
struct laplacian_spectrum {
  double second = 0.0;
  double largest = 0.0;
};

/// Closed forms for hypercubes, grids, rings, linear arrays, complete networks and stars; a Lanczos
/// iteration with full reorthogonalisation for the others, O(steps * (edges + steps * nodes)) with
/// at most 300 steps, exact to rounding for up to 301 nodes.
[[nodiscard]] EVENCUBE_EXPORT laplacian_spectrum spectrum(const topology& graph);
/// The same always by Lanczos.
[[nodiscard]] EVENCUBE_EXPORT laplacian_spectrum lanczos_spectrum(const topology& graph);

/// The best uniform diffusion weight min(2 / (mu_2 + mu_n), 1 / max degree) (Cybenko 1989, Lemma 2,
/// for M = I - a L); 0 for one node.
[[nodiscard]] EVENCUBE_EXPORT double optimal_weight(const topology& graph);
[[nodiscard]] EVENCUBE_EXPORT double optimal_weight(const topology& graph,
                                                    const laplacian_spectrum& known);

/// The same weight as the first convergent of its continued fraction within 10^-12 of it (1/3 on
/// the square, 1/(d+1) on the d-cube), never above 1 / max degree: what the balancer `diffusion`
/// uses, exactly. 0 for one node.
[[nodiscard]] EVENCUBE_EXPORT fraction optimal_fraction(const topology& graph);

/// gamma(M) for the uniform weight: max(|1 - a mu_2|, |1 - a mu_n|), the factor by which one
/// iteration contracts the distance to the uniform load (Cybenko 1989, (11)).
[[nodiscard]] EVENCUBE_EXPORT double convergence_factor(const laplacian_spectrum& known,
                                                        double weight);

/// A link with its own diffusion weight a_ij = a_ji >= 0.
struct weighted_link {
  node_id a;
  node_id b;
  double weight;
};

/// One iteration of real-valued diffusion with a uniform weight, w_i += a sum_j (w_j - w_i)
/// (Cybenko 1989, (1a)). O(edges).
EVENCUBE_EXPORT void diffuse(const topology& graph, double weight, std::vector<double>& loads);
/// The same with a weight per link.
EVENCUBE_EXPORT void diffuse(std::span<const weighted_link> links, std::vector<double>& loads);

/// One phase of real-valued dimension exchange: all pairs along `dimension` take their mean
/// (Cybenko 1989, Section 4). loads.size() a power of two.
EVENCUBE_EXPORT void exchange(unsigned dimension, std::vector<double>& loads);

/// How real flows become whole quanta.
enum class diffusion_form {
  /// floor(a |w_i - w_j|) from the heavier end, exactly. Never negative, never widens the
  /// difference,
  /// stalls when every link's difference is below 1 / a.
  floor,
  /// The real flow is followed beside the loads and its total rounded, a half away from 0; what was
  /// sent already is taken off. Within half a degree of the real loads, as long as no node runs
  /// short. With D the common denominator of the weights and n their largest numerator, exact for
  /// the first t iterations with total load * n * D^t < 2^120, from then on in units of D^-t.
  carry
};

/// The iterated balancer with explicit weights, each read by fraction_of() (1.0 / 3 is a third);
/// every node's weights must sum to at most 1.
/// Stops after `iterations`, when the difference is at most `target`, or when nothing moves any
/// more. Throws std::invalid_argument for a negative weight or a sum above 1; make_plan throws for
/// a link that the topology lacks or a topology link without weight.
[[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<balancer> make_weighted_diffusion(
    std::vector<weighted_link> links, diffusion_form form, std::size_t iterations,
    load_type target);

}  // namespace evencube
