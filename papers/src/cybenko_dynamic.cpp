#include <array>
#include <cmath>
#include <vector>

#include "cybenko.hpp"
#include "experiments.hpp"
#include "normal.hpp"
#include "real_loads.hpp"

namespace evencube::papers {
namespace {

using simulator::summary;

constexpr std::size_t replications = 20;

/// How work is balanced while noise of variance 1 comes in at every node and step.
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

/// Its exact value for diffusion: the sum over the modes of the cube.
double exact_variance_of_diffusion(unsigned d) {
  double sum = 0;
  for (unsigned k = 1; k <= d; ++k) {
    const double lambda = 1 - 2.0 * k / (d + 1);
    sum += binomial(d, k) / (1 - lambda * lambda);
  }
  return sum;
}

/// A mode with j of d dimensions set survives until the first of them is exchanged. Averaged over
/// the phase of the cycle: the sum over modes of the mean time to that, which is 2n - d - 2 for the
/// phase just before dimension 0 in every cycle, and by symmetry for every phase.
double exact_variance_of_exchange(unsigned d) { return 2 * std::pow(2.0, d) - d - 2; }

/// Theorems 2 and 5 on the cube of n nodes.
void judge_variances(notebook& book, unsigned d, const summary& diffusion, double bound,
                     const summary& exchanged, double n) {
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
           "The proof ends at (2^(d+1) - 1) sigma^2; the statement lost the factor 2.");
  book.row("Theorem 5, d = 3, as proven", "at most 2 n sigma^2 = 16",
           claim(exchanged.mean + exchanged.half_width <= 2 * n, fixed(exchanged.mean, 3)));
}

/// How long the slowest mode lasts, measured: it shrinks by exactly this factor in `steps` steps of
/// diffusion.
double diffusion_factor(unsigned d, unsigned steps) {
  const topology cube = topology::hypercube(d);
  real_loads w(cube.nodes());
  for (std::size_t k = 0; k < w.size(); ++k) w[k] = (k & 1) != 0 ? -1 : 1;
  real_loads scratch;
  const double before = squared_deviation(w);
  for (unsigned i = 0; i < steps; ++i) diffuse(cube, 1.0 / (d + 1), w, scratch);
  return std::sqrt(squared_deviation(w) / before);
}

/// What is sampled for one cube of Table II.
struct steady {
  summary diffusion;
  summary whole_sweep;
  summary one_exchange;
};

/// Tables I and II on the largest cube, of n nodes.
void judge_equal_time(notebook& book, unsigned d, double n, const steady& sampled) {
  const double factor_a = diffusion_factor(d, 1);
  const double factor_b = diffusion_factor(d, d);
  book.row("Table I, model A, d = 8", "1 - 2/(d+1) = 0.7778 and 0",
           proven(std::abs(factor_a - 7.0 / 9) < 1e-12, fixed(factor_a, 4) + " and 0"));
  book.row("Table I, model B, d = 8", "e^-2 = 0.1353 and 0",
           claim(factor_b <= std::exp(-2.0), fixed(factor_b, 4) + " and 0"),
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

double binomial(unsigned n, unsigned k) {
  double value = 1;
  for (unsigned i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

void cybenko_theorems(notebook& book) {
  const std::size_t steps = book.sized(2'000, 20'000);
  book.done.method =
      "Real-valued loads. Convergence, spectra and exactness are computed; the dynamic theorems "
      "are set beside the exact sum over modes and beside sampling with normal noise of variance 1 "
      "at every node and step.";
  book.done.parameters = {
      {"noise", "normal, mean 0, variance 1", "ours; the theorems need mean and variance"},
      {"replications, steps", fmt::format("{}, {}", replications, steps), "ours"}};
  cybenko_convergence(book);
  cybenko_spectrum(book);
  cybenko_sweep(book);
  data_table& table = book.table(
      "variance", {"d", "diffusion bound (Theorem 2)", "diffusion exact", "diffusion sampled",
                   "half width", "exchange bound 2n (proof)", "exchange printed n",
                   "exchange exact", "exchange sampled", "half width exchange"});
  for (unsigned d = 2; d <= 6; ++d) {
    const double n = std::pow(2.0, d);
    const double bound = (n - 1) * (d + 1) * (d + 1) / (4.0 * d);
    const summary diffusion = steady_variance(book, scheme::diffusion, d, steps, 0.1);
    const summary exchanged = steady_variance(book, scheme::one_exchange, d, steps, 0.1);
    add(table, d, fixed(bound, 3), fixed(exact_variance_of_diffusion(d), 3),
        fixed(diffusion.mean, 3), fixed(diffusion.half_width, 3), fixed(2 * n, 0), fixed(n, 0),
        fixed(exact_variance_of_exchange(d), 0), fixed(exchanged.mean, 3),
        fixed(exchanged.half_width, 3));
    if (d == 3) judge_variances(book, d, diffusion, bound, exchanged, n);
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
    add(table, d, fixed(diffusion_factor(d, 1), 4), fixed(diffusion_factor(d, d), 4), "0",
        fixed(found.diffusion.mean, 2), fixed(n * d / 4, 1), fixed(found.whole_sweep.mean, 2),
        fixed(found.one_exchange.mean, 2), fixed(n, 0), fixed(2 * n, 0));
    if (d == largest) judge_equal_time(book, d, n, found);
  }
  book.draw("variance", "Steady variance / sigma^2", table, {"dimensions d", {"d"}},
            {"variance / sigma^2",
             {"A diffusion variance", "n log n / 4", "A exchange variance (sweep per step)",
              "one dimension per step"}},
            {.log_y = true});
}

}  // namespace evencube::papers
