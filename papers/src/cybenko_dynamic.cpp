#include <array>
#include <cmath>
#include <vector>

#include "cybenko.hpp"
#include "experiments.hpp"
#include "normal.hpp"
#include "real_loads.hpp"
#include "support.hpp"

namespace evencube::papers {
namespace {

double binomial(unsigned n, unsigned k) {
  double value = 1;
  for (unsigned i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

double one_run(dynamic_scheme scheme, unsigned d, std::size_t steps, std::uint64_t seed,
               std::uint32_t stream) {
  const topology cube = topology::hypercube(d);
  normal_stream noise(seed, stream);
  real_loads w(cube.nodes(), 0);
  real_loads scratch;
  const double weight = 1.0 / (d + 1);
  const std::size_t settle = 40 * (d + 1);
  double sum = 0;
  for (std::size_t t = 0; t < settle + steps; ++t) {
    if (scheme == dynamic_scheme::diffusion) {
      diffuse(cube, weight, w, scratch);
    } else if (scheme == dynamic_scheme::one_exchange) {
      exchange(static_cast<unsigned>(t % d), w);
    } else {
      for (unsigned i = 0; i < d; ++i) exchange(i, w);
    }
    for (double& value : w) value += noise.next();
    if (t >= settle) sum += squared_deviation(w);
  }
  return sum / static_cast<double>(steps);
}

}  // namespace

double exact_variance(dynamic_scheme scheme, unsigned d) {
  const double n = std::pow(2.0, d);
  if (scheme == dynamic_scheme::whole_sweep) return n - 1;  // only the last noise is left
  if (scheme == dynamic_scheme::one_exchange) {
    // A mode with j of d dimensions set survives until the first of them is exchanged. Averaged
    // over the phase of the cycle: the sum over modes of the mean time to that, which is 2n - d - 2
    // for the phase just before dimension 0 in every cycle, and by symmetry for every phase.
    return 2 * n - d - 2;
  }
  double sum = 0;
  for (unsigned k = 1; k <= d; ++k) {
    const double lambda = 1 - 2.0 * k / (d + 1);
    sum += binomial(d, k) / (1 - lambda * lambda);
  }
  return sum;
}

summary steady_variance(dynamic_scheme scheme, unsigned d, std::size_t replications,
                        std::size_t steps, const reproduce_options& options, double from, double to,
                        bool& partial) {
  std::vector<double> values(replications, -1);
  sampler work(options);
  work.run(replications, from, to, [&](std::size_t i) {
    values[i] =
        one_run(scheme, d, steps, options.seed,
                static_cast<std::uint32_t>(scheme) << 24 | d << 16 | static_cast<std::uint32_t>(i));
  });
  partial = partial || work.stopped();
  std::erase(values, -1);
  return summarise(values);
}

reproduction cybenko_theorems(const reproduce_options& options) {
  reproduction done;
  done.id = "cybenko-theorem-1-to-5";
  done.title = "Diffusion and dimension exchange: the five theorems";
  done.source = "Cybenko 1989, Theorems 1-5, Lemma 2";
  const std::size_t replications = 20;
  const std::size_t steps = options.long_form ? 20'000 : 2'000;
  done.method =
      "Real-valued loads. Convergence, spectra and exactness are computed; the dynamic theorems "
      "are "
      "set beside the exact sum over modes and beside sampling with normal noise of variance 1 at "
      "every node and step.";
  done.parameters = {
      {"noise", "normal, mean 0, variance 1", "ours; the theorems need mean and variance"},
      {"replications, steps", text_of(replications) + ", " + text_of(steps), "ours"}};
  cybenko_convergence(options, done);
  cybenko_spectrum(options, done);
  cybenko_sweep(options, done);
  data_table table{"variance",
                   {"d", "diffusion bound (Theorem 2)", "diffusion exact", "diffusion sampled",
                    "half width", "exchange bound 2n (proof)", "exchange printed n",
                    "exchange exact", "exchange sampled", "half width exchange"},
                   {}};
  constexpr unsigned largest = 6;
  for (unsigned d = 2; d <= largest && !done.partial; ++d) {
    const double n = std::pow(2.0, d);
    const double bound = (n - 1) * (d + 1) * (d + 1) / (4.0 * d);
    const double share = (d - 2) / (largest - 1.0);
    const double width = 1 / (largest - 1.0) / 2;
    const summary diffusion = steady_variance(dynamic_scheme::diffusion, d, replications, steps,
                                              options, share, share + width, done.partial);
    const summary exchanged =
        steady_variance(dynamic_scheme::one_exchange, d, replications, steps, options,
                        share + width, share + 2 * width, done.partial);
    if (done.partial) break;
    const double exact_diffusion = exact_variance(dynamic_scheme::diffusion, d);
    const double exact_exchange = exact_variance(dynamic_scheme::one_exchange, d);
    table.rows.push_back({text_of(d), fixed(bound, 3), fixed(exact_diffusion, 3),
                          fixed(diffusion.mean, 3), fixed(diffusion.half_width, 3), fixed(2 * n, 0),
                          fixed(n, 0), fixed(exact_exchange, 0), fixed(exchanged.mean, 3),
                          fixed(exchanged.half_width, 3)});
    if (d != 3) continue;
    done.verdicts.push_back(
        {"Theorem 2: steady variance of diffusion, d = 3",
         "at most " + fixed(bound, 3) + " sigma^2",
         fixed(diffusion.mean, 3) + " +- " + fixed(diffusion.half_width, 3) + " (exact " +
             fixed(exact_diffusion, 3) + ")",
         diffusion.mean + diffusion.half_width <= bound ? agreement::within : agreement::opposite,
         "The statement prints sigma where its proof and the units say sigma^2."});
    done.verdicts.push_back(
        {"Theorem 5: steady variance of dimension exchange, d = 3, as printed",
         "at most n sigma^2 = 8",
         fixed(exchanged.mean, 3) + " +- " + fixed(exchanged.half_width, 3) + " (exact " +
             fixed(exact_exchange, 0) + ")",
         exchanged.mean - exchanged.half_width > n ? agreement::opposite : agreement::within,
         "The proof ends at (2^(d+1) - 1) sigma^2; the statement lost the factor 2."});
    done.verdicts.push_back(
        {"Theorem 5, d = 3, as proven", "at most 2 n sigma^2 = 16", fixed(exchanged.mean, 3),
         exchanged.mean + exchanged.half_width <= 2 * n ? agreement::within : agreement::opposite,
         ""});
  }
  done.tables.push_back(table);
  done.pictures.push_back({"variance",
                           "Steady E||w - mean||^2 / sigma^2 on the d-cube",
                           "variance",
                           "d",
                           {"diffusion bound (Theorem 2)", "diffusion sampled",
                            "exchange bound 2n (proof)", "exchange printed n", "exchange sampled"},
                           "",
                           "dimensions d",
                           "variance / sigma^2",
                           false,
                           false,
                           true});
  return done;
}

reproduction cybenko_tables(const reproduce_options& options) {
  reproduction done;
  done.id = "cybenko-table-1-2";
  done.title = "Diffusion against dimension exchange in equal time";
  done.source = "Cybenko 1989, Tables I and II, Section 5";
  const std::size_t replications = 20;
  const std::size_t steps = options.long_form ? 20'000 : 1'000;
  done.method =
      "Model A serialises the messages of a processor: one diffusion step costs as much as a sweep "
      "of "
      "dimension exchange. In model B all ports work at once: d diffusion steps per sweep. Table I "
      "is the factor by which the deviation shrinks in that time, Table II the steady variance "
      "under "
      "noise of variance sigma^2 per step.";
  done.parameters = {{"replications, steps", text_of(replications) + ", " + text_of(steps), "ours"},
                     {"d", "2 .. 8", "ours; the tables are asymptotic"}};
  data_table table{
      "equal-time",
      {"d", "A diffusion factor", "B diffusion factor", "exchange factor", "A diffusion variance",
       "n log n / 4", "A exchange variance (sweep per step)", "one dimension per step", "n", "2 n"},
      {}};
  constexpr unsigned largest = 8;
  for (unsigned d = 2; d <= largest && !done.partial; ++d) {
    const double n = std::pow(2.0, d);
    const double share = (d - 2) / (largest - 1.0);
    const double width = 1 / (largest - 1.0) / 3;
    std::array<summary, 3> sampled;
    const std::array schemes{dynamic_scheme::diffusion, dynamic_scheme::whole_sweep,
                             dynamic_scheme::one_exchange};
    for (std::size_t s = 0; s < schemes.size(); ++s) {
      const auto part = static_cast<double>(s);
      sampled[s] = steady_variance(schemes[s], d, replications, steps, options,
                                   share + part * width, share + (part + 1) * width, done.partial);
    }
    if (done.partial) break;
    // The slowest mode, measured: it shrinks by exactly the factor per step.
    const topology cube = topology::hypercube(d);
    real_loads w(cube.nodes());
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = (k & 1) != 0 ? -1 : 1;
    real_loads scratch;
    const double before = squared_deviation(w);
    diffuse(cube, 1.0 / (d + 1), w, scratch);
    const double factor_a = std::sqrt(squared_deviation(w) / before);
    for (unsigned i = 1; i < d; ++i) diffuse(cube, 1.0 / (d + 1), w, scratch);
    const double factor_b = std::sqrt(squared_deviation(w) / before);
    const auto with = [](const summary& s) { return fixed(s.mean, 2); };
    table.rows.push_back({text_of(d), fixed(factor_a, 4), fixed(factor_b, 4), "0", with(sampled[0]),
                          fixed(n * d / 4, 1), with(sampled[1]), with(sampled[2]), fixed(n, 0),
                          fixed(2 * n, 0)});
    if (d == largest) {
      const auto holds = [](bool yes) { return yes ? agreement::within : agreement::opposite; };
      done.verdicts.push_back(
          {"Table I, model A, d = 8", "1 - 2/(d+1) = 0.7778 and 0", fixed(factor_a, 4) + " and 0",
           std::abs(factor_a - 7.0 / 9) < 1e-12 ? agreement::equal : agreement::opposite, ""});
      done.verdicts.push_back({"Table I, model B, d = 8", "e^-2 = 0.1353 and 0",
                               fixed(factor_b, 4) + " and 0", holds(factor_b <= std::exp(-2.0)),
                               "(1 - 2/(d+1))^d is below e^-2 and tends to it."});
      done.verdicts.push_back(
          {"Table II, model A: diffusion, d = 8", "n log n / 4 = 512",
           with(sampled[0]) + " +- " + fixed(sampled[0].half_width, 2),
           sampled[0].mean <= n * d / 4 ? agreement::within : agreement::opposite,
           "Read as an upper bound. The slowest modes are few: the exact sum over all modes is " +
               fixed(exact_variance(dynamic_scheme::diffusion, d), 2) + ", of the order of n."});
      done.verdicts.push_back({"Table II, model A: exchange, d = 8", "n = 256",
                               with(sampled[1]) + " +- " + fixed(sampled[1].half_width, 2),
                               sampled[1].contains(n - 1) ? agreement::within : agreement::opposite,
                               "Tolerance 5 %; exactly n - 1 when a step is a whole sweep."});
      done.verdicts.push_back({"Table II, model B: exchange, d = 8", "2 n = 512",
                               with(sampled[2]) + " +- " + fixed(sampled[2].half_width, 2),
                               holds(sampled[2].mean <= 2 * n), "Exactly 2n - d - 2."});
    }
  }
  done.tables.push_back(table);
  done.pictures.push_back({"variance",
                           "Steady variance / sigma^2",
                           "equal-time",
                           "d",
                           {"A diffusion variance", "n log n / 4",
                            "A exchange variance (sweep per step)", "one dimension per step"},
                           "",
                           "dimensions d",
                           "variance / sigma^2",
                           false,
                           false,
                           true});
  return done;
}

}  // namespace evencube::papers
