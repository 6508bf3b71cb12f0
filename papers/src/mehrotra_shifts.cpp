#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

// Mehrotra, Ranka, Wang 1992, Section 3: V_k = X_1 + .. + X_k - k Xbar, its moments; D' = max |V_k|
// / (sigma sqrt n), the shift to either side; and the probability that any item of a side goes
// further than to a neighbour.

using simulator::summary;

constexpr std::size_t batches = 100;

/// Fills v with V_1 .. V_n for standard normal X.
void draw_shifts(normal_stream& normal, std::vector<double>& v) {
  double sum = 0;
  for (double& value : v) value = sum += normal.next();
  const double mean = sum / static_cast<double>(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) v[k] -= static_cast<double>(k + 1) * mean;
}

/// A pair k < l of nodes whose correlation is compared.
struct node_pair {
  unsigned k;
  unsigned l;
};
constexpr unsigned sixteen = 16;
constexpr std::array pairs{node_pair{2, 8}, node_pair{4, 8}, node_pair{8, 12}, node_pair{2, 14}};

/// Sums over the trials of a batch, n = 16.
struct moments_of_v {
  std::array<double, sixteen> sums{};
  std::array<double, sixteen> squares{};
  std::array<double, pairs.size()> products{};
};

moments_of_v run_moments(std::uint64_t seed, std::size_t batch, std::size_t trials) {
  normal_stream normal(seed, 3U << 20 | static_cast<std::uint32_t>(batch));
  std::vector<double> v(sixteen);
  moments_of_v m;
  const auto share = 1 / static_cast<double>(trials);
  for (std::size_t i = 0; i < trials; ++i) {
    draw_shifts(normal, v);
    for (std::size_t k = 0; k < sixteen; ++k) {
      m.sums[k] += v[k] * share;
      m.squares[k] += v[k] * v[k] * share;
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      m.products[p] += v[pairs[p].k - 1] * v[pairs[p].l - 1] * share;
    }
  }
  return m;
}

/// Whether a sampled value is the exact one, as far as the interval can tell; four half widths,
/// because many values are compared.
bool agrees(const summary& sampled, double exact) {
  return std::abs(sampled.mean - exact) <= 4 * sampled.half_width + 1e-12;
}

double variance_of(double k) { return k * (sixteen - k) / sixteen; }

void judge_moments_of_v(notebook& book, std::size_t trials) {
  const auto found = book.sample<moments_of_v>(
      batches, 0.05, [&](std::size_t batch) { return run_moments(book.seed(), batch, trials); });
  data_table& table = book.table("v", {"k", "E(V_k) sampled", "k (n - k) / n", "Var(V_k) sampled"});
  bool means = true;
  bool variances = true;
  for (unsigned k = 1; k <= sixteen; ++k) {
    const summary mean = over(found, [k](const moments_of_v& m) { return m.sums[k - 1]; });
    const summary square = over(found, [k](const moments_of_v& m) { return m.squares[k - 1]; });
    means = means && agrees(mean, 0);
    variances = variances && agrees(square, variance_of(k));
    add(table, k, fixed(mean.mean, 4), fixed(variance_of(k), 4), fixed(square.mean, 4));
  }
  data_table& together = book.table("v-pairs", {"k", "l", "corr formula", "corr sampled"});
  bool correlations = true;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [k, l] = pairs[p];
    const double formula = std::sqrt(static_cast<double>(k * (sixteen - l)) / (l * (sixteen - k)));
    const double scale = std::sqrt(variance_of(k) * variance_of(l));
    const summary sampled =
        over(found, [&](const moments_of_v& m) { return m.products[p] / scale; });
    correlations = correlations && agrees(sampled, formula);
    add(together, k, l, fixed(formula, 4), fixed(sampled.mean, 4));
  }
  const auto same = [](bool holds) {
    return holds ? "the same, as far as samples tell" : "differs";
  };
  book.row("E(V_k), n = 16, k = 1 .. 16", "0", claim(means, same(means)));
  book.row("Var(V_k), n = 16; V_n = 0", "k (n - k) / n sigma^2", claim(variances, same(variances)));
  book.row("corr(V_k, V_l), n = 16, four pairs", "sqrt(k (n - l) / (l (n - k)))",
           claim(correlations, same(correlations)));
}

/// P(D' <= x) of the limit.
double two_sided_bridge(double x) {
  double sum = 1;
  for (int i = 1; i < 50; ++i) sum += (i % 2 == 0 ? 2 : -2) * std::exp(-2.0 * i * i * x * x);
  return sum;
}

constexpr unsigned sixty_four = 64;
constexpr std::array points{0.6, 0.8, 1.0, 1.2, 1.4};

/// Shares of the trials of a batch, n = 64.
struct tails {
  std::array<double, points.size()> within{};  // D' <= x
  std::array<double, 2> far{};  // some item of a side goes a node or further; k = 1, 2
};

/// mu / sigma at which P(D >= 1) is at most n^-k.
double ratio_of(double k) { return std::sqrt(k / 2 * sixty_four * std::log(sixty_four)); }

tails run_tails(std::uint64_t seed, std::size_t batch, std::size_t trials) {
  normal_stream normal(seed, 4U << 20 | static_cast<std::uint32_t>(batch));
  std::vector<double> v(sixty_four);
  tails t;
  const auto share = 1 / static_cast<double>(trials);
  for (std::size_t i = 0; i < trials; ++i) {
    double sum = 0;
    for (double& value : v) value = sum += normal.next();
    const double mean = sum / sixty_four;
    double most = 0;
    double least = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      const double shift = v[k] - static_cast<double>(k + 1) * mean;
      most = std::max(most, shift);
      least = std::min(least, shift);
    }
    const double both = std::max(most, -least) / std::sqrt(static_cast<double>(sixty_four));
    for (std::size_t p = 0; p < points.size(); ++p) t.within[p] += both <= points[p] ? share : 0;
    for (std::size_t k = 0; k < t.far.size(); ++k) {
      // Xbar is mu plus the mean of the deviations, in units of sigma.
      const double average = ratio_of(static_cast<double>(k + 1)) + mean;
      t.far[k] += most >= average ? share : 0;
    }
  }
  return t;
}

void judge_tails_of_d(notebook& book, std::size_t trials) {
  const auto found = book.sample<tails>(
      batches, 0.15, [&](std::size_t batch) { return run_tails(book.seed(), batch, trials); });
  data_table& table = book.table("d", {"x", "P(D' <= x) formula", "P(D' <= x) sampled, n = 64"});
  double worst = 0;
  bool above = true;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const double formula = two_sided_bridge(points[p]);
    const summary sampled = over(found, [p](const tails& t) { return t.within[p]; });
    worst = std::max(worst, std::abs(sampled.mean - formula));
    above = above && sampled.mean >= formula;
    add(table, fixed(points[p], 1), fixed(formula, 4), fixed(sampled.mean, 4));
  }
  book.row("P(D' <= x), n = 64, x = 0.6 .. 1.4", "1 + 2 sum (-1)^i exp(-2 i^2 x^2)",
           {fmt::format("at most {:.3f} off", worst), {.within = worst <= 0.1, .direction = above}},
           "Within: at most 0.1 off. The Brownian bridge is the limit; the maximum over n points "
           "is less.");
  for (std::size_t k = 0; k < 2; ++k) {
    const double bound = std::pow(sixty_four, -static_cast<double>(k + 1));
    const summary far = over(found, [k](const tails& t) { return t.far[k]; });
    book.row(fmt::format("P(D >= 1), sampled, n = 64, k = {}", k + 1),
             "at most n^-k = " + fixed(bound, 6),
             claim(far.mean - far.half_width <= bound,
                   fmt::format("{:.6f} +- {:.6f}", far.mean, far.half_width)),
             "Normal numbers of items at mu = sigma sqrt(k/2 n ln n).");
  }
}

}  // namespace

void mehrotra_shifts(notebook& book) {
  const std::size_t trials = book.sized(500, 10'000);
  book.done.parameters.push_back(
      {"trials for V_k, D' and P(D >= 1)", fmt::to_string(batches * trials), "ours"});
  judge_moments_of_v(book, trials);
  judge_tails_of_d(book, trials);
}

}  // namespace evencube::papers
