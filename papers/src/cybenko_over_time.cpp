#include <algorithm>
#include <cmath>
#include <vector>

#include <evencube/balancers/theory.hpp>

#include "cybenko.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

// Cybenko 1989, Section 2: Lemma 3, and Theorem 2 before its limit, both by sampling.

using simulator::summary;

constexpr unsigned dimensions = 3;
constexpr unsigned cube_nodes = 1U << dimensions;
constexpr std::size_t batches = 20;
constexpr std::uint32_t lemma_streams = 1U << 20;
constexpr std::uint32_t theorem_streams = 2U << 20;

// The arrivals of Theorem 2: the mean of the first ones is C, that of the others mu; each step
// takes c from every node.
constexpr double first_mean = 10;      // C
constexpr double first_variance = 25;  // sigma_0^2
constexpr double arrival_mean = 2;     // mu
constexpr double taken = 1;            // c
constexpr unsigned steps = 20;

/// Whether a sampled value is the exact one, as far as the interval can tell; four half widths,
/// because many values are compared.
bool agrees(const summary& sampled, double exact) {
  return std::abs(sampled.mean - exact) <= 4 * sampled.half_width + 1e-12;
}

/// Mean squares of the distance between the mean of the first k numbers and that of all, k = 1 ..
/// n, over the draws of one batch.
std::vector<double> partial_means(std::uint64_t seed, std::size_t batch, std::size_t draws) {
  normal_stream normal(seed, lemma_streams | static_cast<std::uint32_t>(batch));
  std::vector<double> squares(cube_nodes, 0);
  std::vector<double> sums(cube_nodes);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    double sum = 0;
    for (double& value : sums) value = sum += normal.next();
    for (std::size_t k = 0; k < cube_nodes; ++k) {
      const double distance = sums[k] / static_cast<double>(k + 1) - sum / cube_nodes;
      squares[k] += distance * distance / static_cast<double>(draws);
    }
  }
  return squares;
}

void judge_lemma_3(notebook& book, std::size_t draws) {
  data_table& table = book.table("lemma-3", {"k", "(n - k) / (n k)", "sampled", "half width"});
  const auto found = book.sample<std::vector<double>>(
      batches, 0.02, [&](std::size_t batch) { return partial_means(book.seed(), batch, draws); });
  bool all = true;
  for (unsigned k = 1; k <= cube_nodes; ++k) {
    const summary sampled = over(found, [k](const auto& squares) { return squares[k - 1]; });
    const double exact = theory::partial_mean_variance(k, cube_nodes, 1);
    all = all && agrees(sampled, exact);
    add(table, k, fixed(exact, 4), fixed(sampled.mean, 4), fixed(sampled.half_width, 4));
  }
  book.row("Lemma 3: E|mean of k - mean of n|^2, n = 8, k = 1 .. 8", "(n - k) sigma^2 / (n k)",
           claim(all, all ? "the same, as far as samples tell" : "differs"));
}

/// What a batch of runs sees after each step, with and without balancing: the mean squared
/// deviation, and the mean load of a node.
struct trace {
  std::vector<double> deviation = std::vector<double>(steps + 1, 0);
  std::vector<double> unbalanced = std::vector<double>(steps + 1, 0);
  std::vector<double> mean_load = std::vector<double>(steps + 1, 0);
};

trace run_batch(std::uint64_t seed, std::size_t batch, std::size_t runs) {
  const topology cube = topology::hypercube(dimensions);
  normal_stream noise(seed, theorem_streams | static_cast<std::uint32_t>(batch));
  trace seen;
  real_loads scratch;
  const auto share = 1 / static_cast<double>(runs);
  for (std::size_t run = 0; run < runs; ++run) {
    real_loads w(cube.nodes());
    for (double& load : w) load = first_mean + std::sqrt(first_variance) * noise.next();
    real_loads alone = w;
    for (unsigned step = 0;; ++step) {
      seen.deviation[step] += squared_deviation(w) * share;
      seen.unbalanced[step] += squared_deviation(alone) * share;
      seen.mean_load[step] += w[0] * share;
      if (step == steps) break;
      diffuse(cube, theory::cube_weight(dimensions), w, scratch);
      for (std::size_t k = 0; k < w.size(); ++k) {
        const double arrived = arrival_mean + noise.next() - taken;
        w[k] += arrived;
        alone[k] += arrived;
      }
    }
  }
  return seen;
}

void judge_theorem_2(notebook& book, std::size_t runs) {
  data_table& table =
      book.table("theorem-2", {"step", "bound", "sampled", "half width", "without balancing",
                               "E(w) predicted", "E(w) sampled"});
  const auto found = book.sample<trace>(
      batches, 0.08, [&](std::size_t batch) { return run_batch(book.seed(), batch, runs); });
  const double gamma = theory::cube_factor(dimensions);
  bool in_bound = true;
  bool uniform = true;
  bool grows = true;
  for (unsigned step = 0; step <= steps; ++step) {
    const summary deviation = over(found, [step](const trace& t) { return t.deviation[step]; });
    const summary alone = over(found, [step](const trace& t) { return t.unbalanced[step]; });
    const summary load = over(found, [step](const trace& t) { return t.mean_load[step]; });
    const double bound =
        step == 0 ? (cube_nodes - 1) * first_variance
                  : theory::distance_bound(cube_nodes, gamma, 1, first_variance, step - 1);
    const double mean = first_mean + step * (arrival_mean - taken);
    const double without = (cube_nodes - 1) * (first_variance + step);
    in_bound = in_bound && (deviation.mean <= bound || agrees(deviation, bound));
    uniform = uniform && agrees(load, mean);
    grows = grows && agrees(alone, without);
    add(table, step, fixed(bound, 3), fixed(deviation.mean, 3), fixed(deviation.half_width, 3),
        fixed(alone.mean, 2), fixed(mean, 1), fixed(load.mean, 3));
  }
  book.row("Theorem 2 in time: E||w - mean||^2 after each of 20 steps, d = 3",
           "(n - 1) sigma^2 (1 - gamma^(2j+2)) / (1 - gamma^2) + (n - 1) sigma_0^2 gamma^(2j+2)",
           claim(in_bound, in_bound ? "never above" : "above"),
           "The statement prints sigma where its proof and the units say sigma^2.");
  book.row("Theorem 2: expected loads after each of 20 steps", "(C + (j + 1)(mu - c)) u",
           claim(uniform, uniform ? "the same, as far as samples tell" : "differs"));
  book.row("variance of a node without balancing", "grows by sigma^2 in each step",
           claim(grows, grows ? "the same, as far as samples tell" : "differs"));
  book.draw("theorem-2", "E||w - mean||^2 over time on the 3-cube, sigma_0^2 = 25", table,
            {"step", {"step"}}, {"squared deviation", {"bound", "sampled", "without balancing"}},
            {.log_y = true});
}

}  // namespace

void cybenko_over_time(notebook& book) {
  const std::size_t runs = book.sized(200, 5'000);
  book.done.parameters.push_back(
      {"Theorem 2 in time: C, sigma_0^2, mu, c", "10, 25, 2, 1; sigma = 1", "ours"});
  book.done.parameters.push_back(
      {"Lemma 3, Theorem 2 in time: draws", fmt::to_string(batches * runs), "ours"});
  judge_lemma_3(book, runs);
  judge_theorem_2(book, runs);
}

}  // namespace evencube::papers
