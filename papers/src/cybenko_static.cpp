#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cybenko.hpp"
#include "normal.hpp"
#include "real_loads.hpp"

namespace evencube::papers {
namespace {

real_loads random_loads(std::uint64_t seed, std::uint32_t stream, std::size_t nodes) {
  normal_stream normal(seed, stream);
  real_loads w(nodes);
  for (double& value : w) value = normal.next();
  return w;
}

// Contraction of the deviation per step, seen after many steps from a random start.
double contraction(const topology& graph, double weight, std::uint64_t seed) {
  real_loads w = random_loads(seed, 77, graph.nodes());
  real_loads scratch;
  for (int step = 0; step < 400; ++step) {
    diffuse(graph, weight, w, scratch);
    const double size = std::sqrt(squared_deviation(w));
    double mean = 0;
    for (const double value : w) mean += value / static_cast<double>(w.size());
    if (size < 1e-200) return 0;
    for (double& value : w) value = (value - mean) / size;
  }
  const double before = squared_deviation(w);
  diffuse(graph, weight, w, scratch);
  diffuse(graph, weight, w, scratch);
  return std::pow(squared_deviation(w) / before, 0.25);
}

std::vector<double> spectrum_of(const topology& graph) {
  return symmetric_eigenvalues(laplacian(graph), graph.nodes());
}

/// The largest error of the d-cube's eigenvalues: 2k of the Laplacian, d - 2k of the adjacency.
double spectrum_error(unsigned d, const std::vector<double>& values) {
  double worst = 0;
  std::size_t at = 0;
  for (unsigned k = 0; k <= d; ++k) {
    for (double i = 0; i < binomial(d, k); ++i) {
      worst = std::max(worst, std::abs(values[at++] - 2.0 * k));
    }
  }
  return worst;
}

bool optimal_as_stated(unsigned d, const std::vector<double>& values) {
  const double weight = 2 / (values[1] + values.back());
  return std::abs(weight - 1.0 / (d + 1)) < 1e-9 &&
         std::abs(1 - weight * values[1] - (1 - 2.0 / (d + 1))) < 1e-9;
}

}  // namespace

void cybenko_convergence(notebook& book) {
  struct example {
    const char* network;
    double weight;
    bool converges;
    const char* reason;
  };
  const std::array examples{example{"hypercube:3", 1.0 / 3, false, "bipartite, no self-weight"},
                            example{"hypercube:3", 1.0 / 4, true, "self-weight 1/4"},
                            example{"ring:8", 0.5, false, "bipartite, no self-weight"},
                            example{"ring:7", 0.5, true, "no self-weight, but an odd cycle"},
                            example{"linear:8", 0.5, true, "self-weight at the ends"}};
  data_table& table =
      book.table("theorem-1", {"network", "weight", "predicted", "contraction per step", "why"});
  bool agree = true;
  for (const example& e : examples) {
    const double seen = contraction(topology::parse(e.network), e.weight, book.seed());
    agree = agree && (seen < 1 - 1e-6) == e.converges;
    add(table, e.network, fixed(e.weight, 4), e.converges ? "converges" : "oscillates",
        fixed(seen, 6), e.reason);
  }
  book.row("Theorem 1: when diffusion converges", "connected, and a self-weight or an odd cycle",
           proven(agree, "all five examples as predicted", "an example differs"));
}

void cybenko_spectrum(notebook& book) {
  double worst = 0;
  bool optimal = true;
  for (unsigned d = 1; d <= 6; ++d) {
    const auto values = spectrum_of(topology::hypercube(d));
    worst = std::max(worst, spectrum_error(d, values));
    optimal = optimal && optimal_as_stated(d, values);
  }
  data_table& table = book.table("weights", {"network", "mu_2", "mu_n", "maximum degree",
                                             "optimal weight", "contraction gamma", "bound by"});
  for (const char* network : {"hypercube:3", "hypercube:4", "linear:16", "ring:16", "mesh:4x4",
                              "fibonacci-composite:16", "star:8"}) {
    const topology graph = topology::parse(network);
    const auto values = spectrum_of(graph);
    const double free = 2 / (values[1] + values.back());
    const double limit = 1.0 / graph.max_degree();
    const double weight = std::min(free, limit);
    const double gamma =
        std::max(std::abs(1 - weight * values[1]), std::abs(1 - weight * values.back()));
    add(table, network, fixed(values[1], 5), fixed(values.back(), 5), graph.max_degree(),
        fixed(weight, 5), fixed(gamma, 5),
        free <= limit ? "Lemma 2, first branch" : "1/max degree");
  }
  book.row("Theorem 3: spectrum of the d-cube, d = 1 .. 6", "d - 2k with multiplicity C(d, k)",
           proven(worst < 1e-9, "all eigenvalues, error below 1e-9", "differs"));
  book.row("optimal weight and contraction on the d-cube", "1/(d+1) and 1 - 2/(d+1)",
           proven(optimal, "the same for d = 1 .. 6", "differs"),
           "Section 3 of the paper swaps the letters gamma and kappa; the values are these.");
}

void cybenko_sweep(notebook& book) {
  double worst = 0;
  std::uint32_t orders = 0;
  for (unsigned d = 1; d <= 6; ++d) {
    std::vector<unsigned> order(d);
    std::iota(order.begin(), order.end(), 0U);
    do {
      real_loads w = random_loads(book.seed(), 100 + orders % 50, std::size_t{1} << d);
      for (const unsigned dimension : order) exchange(dimension, w);
      worst = std::max(worst, std::sqrt(squared_deviation(w)));
      ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  book.row("Theorem 4: one sweep of dimension exchange is exact",
           "the product of the F_i is 2^-d U",
           proven(worst < 1e-13,
                  fmt::format("all {} orders of dimensions, d = 1 .. 6: deviation {}", orders,
                              worst < 1e-13 ? "below 1e-13" : fmt::to_string(worst))));
}

}  // namespace evencube::papers
