#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <evencube/balancers/topology.hpp>

#include "cybenko.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

/// The binomial coefficient "n over k".
double binomial(unsigned n, unsigned k) {
  double value = 1;
  for (unsigned i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// Eigenvalues of a symmetric matrix (row by row), ascending, by Jacobi's cyclic rotations; for the
/// few dozen rows of the papers' examples. Source: Golub, Van Loan, Matrix Computations, 8.5.
std::vector<double> symmetric_eigenvalues(std::vector<double> a, std::size_t size) {
  const auto at = [&](std::size_t row, std::size_t column) -> double& {
    return a[row * size + column];
  };
  for (int sweep = 0; sweep < 100; ++sweep) {
    double off = 0;
    double all = 0;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        all += at(i, j) * at(i, j);
        if (i != j) off += at(i, j) * at(i, j);
      }
    }
    if (off <= 1e-28 * all) break;
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        if (at(p, q) == 0) continue;
        const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        const auto rotate = [c, s](double& x, double& y) {
          const double before = x;
          x = c * before - s * y;
          y = s * before + c * y;
        };
        for (std::size_t k = 0; k < size; ++k) rotate(at(k, p), at(k, q));
        for (std::size_t k = 0; k < size; ++k) rotate(at(p, k), at(q, k));
      }
    }
  }
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = at(i, i);
  std::sort(values.begin(), values.end());
  return values;
}

/// The graph's Laplacian matrix, row by row.
std::vector<double> laplacian(const topology& graph) {
  const std::size_t size = graph.nodes();
  std::vector<double> matrix(size * size, 0);
  for (node_id k = 0; k < graph.nodes(); ++k) {
    matrix[k * size + k] = graph.degree(k);
    graph.for_each_neighbour(k, [&](node_id j) { matrix[k * size + j] = -1; });
  }
  return matrix;
}

real_loads random_loads(std::uint64_t seed, std::uint32_t stream, std::size_t nodes) {
  normal_stream normal(seed, stream);
  real_loads w(nodes);
  for (double& value : w) value = normal.next();
  return w;
}

// Contraction of the deviation per step, measured after many steps from a random start.
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

/// Whether a node keeps a part of its own load in a step of diffusion.
bool has_self_weight(const topology& graph, double weight) {
  bool found = false;
  for (node_id k = 0; k < graph.nodes(); ++k) found = found || 1 - weight * graph.degree(k) > 1e-12;
  return found;
}

/// Whether a connected network has a cycle of odd length: two neighbours that are equally far from
/// node 0.
bool has_odd_cycle(const topology& graph) {
  bool found = false;
  for (node_id k = 0; k < graph.nodes(); ++k) {
    graph.for_each_neighbour(
        k, [&](node_id j) { found = found || graph.distance(0, j) == graph.distance(0, k); });
  }
  return found;
}

void cybenko_convergence(notebook& book) {
  struct example {
    const char* network;
    double weight;
  };
  constexpr std::array examples{example{"hypercube:3", 1.0 / 3}, example{"hypercube:3", 1.0 / 4},
                                example{"ring:8", 0.5}, example{"ring:7", 0.5},
                                example{"linear:8", 0.5}};
  data_table& table =
      book.table("theorem-1", {"network", "weight", "predicted", "contraction per step", "why"});
  bool agree = true;
  for (const example& e : examples) {
    const topology graph = topology::parse(e.network);
    const double seen = contraction(graph, e.weight, book.seed());
    const bool keeps = has_self_weight(graph, e.weight);
    const bool odd = has_odd_cycle(graph);
    agree = agree && (seen < 1 - 1e-6) == (keeps || odd);
    add(table, e.network, fixed(e.weight, 4), keeps || odd ? "converges" : "oscillates",
        fixed(seen, 6),
        fmt::format("{}, {}", keeps ? "a self-weight" : "no self-weight",
                    odd ? "an odd cycle" : "bipartite"));
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

using simulator::summary;

constexpr std::size_t replications = 20;

/// The way to balance work while noise of variance 1 comes in at every node and step.
enum class scheme {
  diffusion,     ///< one diffusion step with weight 1/(d+1) per arrival of noise
  one_exchange,  ///< one dimension per arrival, eq. (17)
  whole_sweep    ///< all d dimensions per arrival
};

double one_run(scheme how, unsigned d, std::size_t steps, std::uint64_t seed,
               std::uint32_t stream) {
  const topology cube = topology::hypercube(d);
  normal_stream noise(seed, stream);
  real_loads w(cube.nodes(), 0);
  real_loads scratch;
  const double weight = 1.0 / (d + 1);
  const std::size_t settle = 40 * (d + 1);
  double sum = 0;
  for (std::size_t t = 0; t < settle + steps; ++t) {
    if (how == scheme::diffusion) {
      diffuse(cube, weight, w, scratch);
    } else if (how == scheme::one_exchange) {
      exchange(static_cast<unsigned>(t % d), w);
    } else {
      for (unsigned i = 0; i < d; ++i) exchange(i, w);
    }
    for (double& value : w) value += noise.next();
    if (t >= settle) sum += squared_deviation(w);
  }
  return sum / static_cast<double>(steps);
}

/// Steady E||w - mean||^2 on the d-cube by sampling: mean over replications of time averages.
summary steady_variance(notebook& book, scheme how, unsigned d, std::size_t steps, double share) {
  const auto values = book.sample<double>(replications, share, [&](std::size_t i) {
    return one_run(how, d, steps, book.seed(),
                   static_cast<std::uint32_t>(how) << 24 | d << 16 | static_cast<std::uint32_t>(i));
  });
  return simulator::summarise(values);
}

/// The exact steady variance for diffusion: the sum over the modes of the cube.
double exact_variance_of_diffusion(unsigned d) {
  double sum = 0;
  for (unsigned k = 1; k <= d; ++k) {
    const double lambda = 1 - 2.0 * k / (d + 1);
    sum += binomial(d, k) / (1 - lambda * lambda);
  }
  return sum;
}

/// The exact steady variance for one exchange per step. A mode with j of d dimensions set survives
/// until the first of these dimensions is exchanged. The value is the sum over modes of the mean
/// time until then, averaged over the phase of the cycle: 2n - d - 2 for the phase just before
/// dimension 0 in every cycle, and by symmetry for every phase.
double exact_variance_of_exchange(unsigned d) { return 2 * std::pow(2.0, d) - d - 2; }

/// Compares the variances of Theorems 2 and 5 on the cube of n nodes.
void judge_variances(notebook& book, unsigned d, const summary& diffusion, double bound,
                     const summary& exchanged, const summary& swept, double n) {
  const auto with_exact = [](const summary& sampled, double exact, int digits) {
    return interval(sampled, 3) + " (exact " + fixed(exact, digits) + ")";
  };
  book.row("Theorem 2: steady variance of diffusion, d = 3",
           "at most " + fixed(bound, 3) + " sigma^2",
           claim(diffusion.mean + diffusion.half_width <= bound,
                 with_exact(diffusion, exact_variance_of_diffusion(d), 3)),
           "The statement prints sigma where its proof and the units say sigma^2.");
  book.row("Theorem 5: steady variance of dimension exchange, d = 3, as printed",
           "at most n sigma^2 = 8",
           claim(exchanged.mean - exchanged.half_width <= n,
                 with_exact(exchanged, exact_variance_of_exchange(d), 0)),
           "The proof ends at (2^(d+1) - 1) sigma^2; the statement lost the factor 2.",
           claim(swept.mean + swept.half_width <= n, with_exact(swept, n - 1, 0)));
  book.row("Theorem 5, d = 3, as proven", "at most 2 n sigma^2 = 16",
           claim(exchanged.mean + exchanged.half_width <= 2 * n, fixed(exchanged.mean, 3)));
}

/// The factor by which the slowest mode shrinks in `steps` steps of diffusion, measured. It is
/// exact, because the start has no other mode.
double diffusion_factor(unsigned d, unsigned steps) {
  const topology cube = topology::hypercube(d);
  real_loads w(cube.nodes());
  for (std::size_t k = 0; k < w.size(); ++k) w[k] = (k & 1) != 0 ? -1 : 1;
  real_loads scratch;
  const double before = squared_deviation(w);
  for (unsigned i = 0; i < steps; ++i) diffuse(cube, 1.0 / (d + 1), w, scratch);
  return std::sqrt(squared_deviation(w) / before);
}

/// The factor by which any deviation shrinks at most in one sweep of dimension exchange: measured
/// for a start with every mode.
double exchange_factor(unsigned d) {
  real_loads w(std::size_t{1} << d, 0);
  w[0] = 1;
  const double before = squared_deviation(w);
  for (unsigned i = 0; i < d; ++i) exchange(i, w);
  return std::sqrt(squared_deviation(w) / before);
}

/// The samples for one cube of Table II.
struct steady {
  summary diffusion;
  summary whole_sweep;
  summary one_exchange;
};

/// Compares Tables I and II on the largest cube, of n nodes.
void judge_equal_time(notebook& book, unsigned d, double n, const steady& sampled) {
  const double factor_a = diffusion_factor(d, 1);
  const double factor_b = diffusion_factor(d, d);
  const double swept = exchange_factor(d);
  book.row("Table I, model A, d = 8", "1 - 2/(d+1) = 0.7778 and 0",
           proven(std::abs(factor_a - 7.0 / 9) < 1e-12 && swept < 1e-12,
                  fmt::format("{:.4f} and {:.3g}", factor_a, swept)));
  book.row("Table I, model B, d = 8", "e^-2 = 0.1353 and 0",
           claim(factor_b <= std::exp(-2.0) && swept < 1e-12,
                 fmt::format("{:.4f} and {:.3g}", factor_b, swept)),
           "(1 - 2/(d+1))^d is below e^-2 and tends to it.");
  book.row("Table II, model A: diffusion, d = 8", "n log n / 4 = 512",
           claim(sampled.diffusion.mean <= n * d / 4, interval(sampled.diffusion, 2)),
           "Read as an upper bound. The slowest modes are few: the exact sum over all modes is " +
               fixed(exact_variance_of_diffusion(d), 2) + ", of the order of n.");
  book.row("Table II, model A: exchange, d = 8", "n = 256",
           claim(sampled.whole_sweep.contains(n - 1), interval(sampled.whole_sweep, 2)),
           "Tolerance 5 %; exactly n - 1 when a step is a whole sweep.");
  book.row("Table II, model B: exchange, d = 8", "2 n = 512",
           claim(sampled.one_exchange.mean <= 2 * n, interval(sampled.one_exchange, 2)),
           "Exactly 2n - d - 2.");
}

}  // namespace

void cybenko_theorems(notebook& book) {
  const std::size_t steps = book.sized(2'000, 20'000);
  book.done.method =
      "Real-valued loads. Convergence, spectra and exactness are computed; the dynamic theorems "
      "are compared with the exact sum over modes and with sampling with normal noise of variance "
      "1 at every node and step.";
  book.done.parameters = {
      {"noise", "normal, mean 0, variance 1", "ours; the theorems need mean and variance"},
      {"replications, steps", fmt::format("{}, {}", replications, steps), "ours"}};
  cybenko_convergence(book);
  cybenko_spectrum(book);
  cybenko_sweep(book);
  cybenko_over_time(book);
  book.choose_best_reading(
      "Theorem 5 as printed: one step is a whole sweep, as it is in model A of Table II, which has "
      "the same n sigma^2.");
  data_table& table = book.table(
      "variance", {"d", "diffusion bound (Theorem 2)", "diffusion exact", "diffusion sampled",
                   "half width", "exchange bound 2n (proof)", "exchange printed n",
                   "exchange exact", "exchange sampled", "half width exchange"});
  for (unsigned d = 2; d <= 6; ++d) {
    const double n = std::pow(2.0, d);
    const double bound = (n - 1) * (d + 1) * (d + 1) / (4.0 * d);
    const summary diffusion = steady_variance(book, scheme::diffusion, d, steps, 0.08);
    const summary exchanged = steady_variance(book, scheme::one_exchange, d, steps, 0.08);
    add(table, d, fixed(bound, 3), fixed(exact_variance_of_diffusion(d), 3),
        fixed(diffusion.mean, 3), fixed(diffusion.half_width, 3), fixed(2 * n, 0), fixed(n, 0),
        fixed(exact_variance_of_exchange(d), 0), fixed(exchanged.mean, 3),
        fixed(exchanged.half_width, 3));
    if (d != 3) continue;
    const summary swept = steady_variance(book, scheme::whole_sweep, d, steps, 0.08);
    judge_variances(book, d, diffusion, bound, exchanged, swept, n);
  }
  book.draw("variance", "Steady E||w - mean||^2 / sigma^2 on the d-cube", table,
            {"dimensions d", {"d"}},
            {"variance / sigma^2",
             {"diffusion bound (Theorem 2)", "diffusion sampled", "exchange bound 2n (proof)",
              "exchange printed n", "exchange sampled"}},
            {.log_y = true});
}

void cybenko_tables(notebook& book) {
  const std::size_t steps = book.sized(1'000, 20'000);
  book.done.method =
      "Model A serialises the messages of a processor: one diffusion step costs as much as a sweep "
      "of dimension exchange. In model B all ports work at once: d diffusion steps per sweep. "
      "Table I is the factor by which the deviation shrinks in that time, Table II the steady "
      "variance under noise of variance sigma^2 per step.";
  book.done.parameters = {
      {"replications, steps", fmt::format("{}, {}", replications, steps), "ours"},
      {"d", "2 .. 8", "ours; the tables are asymptotic"}};
  data_table& table = book.table(
      "equal-time", {"d", "A diffusion factor", "B diffusion factor", "exchange factor",
                     "A diffusion variance", "n log n / 4", "A exchange variance (sweep per step)",
                     "one dimension per step", "n", "2 n"});
  constexpr unsigned largest = 8;
  for (unsigned d = 2; d <= largest; ++d) {
    const double n = std::pow(2.0, d);
    const auto sampled = [&](scheme how) {
      return steady_variance(book, how, d, steps, 1 / (3 * (largest - 1.0)));
    };
    const steady found{.diffusion = sampled(scheme::diffusion),
                       .whole_sweep = sampled(scheme::whole_sweep),
                       .one_exchange = sampled(scheme::one_exchange)};
    add(table, d, fixed(diffusion_factor(d, 1), 4), fixed(diffusion_factor(d, d), 4),
        fmt::format("{:.3g}", exchange_factor(d)), fixed(found.diffusion.mean, 2),
        fixed(n * d / 4, 1), fixed(found.whole_sweep.mean, 2), fixed(found.one_exchange.mean, 2),
        fixed(n, 0), fixed(2 * n, 0));
    if (d == largest) judge_equal_time(book, d, n, found);
  }
  book.draw("variance", "Steady variance / sigma^2", table, {"dimensions d", {"d"}},
            {"variance / sigma^2",
             {"A diffusion variance", "n log n / 4", "A exchange variance (sweep per step)",
              "one dimension per step"}},
            {.log_y = true});
}

}  // namespace evencube::papers
