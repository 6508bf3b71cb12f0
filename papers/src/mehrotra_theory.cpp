#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "experiments.hpp"
#include "mehrotra_formulas.hpp"
#include "normal.hpp"

namespace evencube::papers {
namespace {

using simulator::summary;

struct trial {
  double maximum = 0;  // (Z - mu) / sigma
  double shift = 0;    // W / sigma
  double middle = 0;   // V_{n/2} / sigma
};

// mu and sigma drop out of all three, so X is standard normal.
trial draw(normal_stream& normal, std::vector<double>& x) {
  trial t;
  double sum = 0;
  for (double& value : x) {
    value = normal.next();
    sum += value;
  }
  t.maximum = *std::max_element(x.begin(), x.end());
  const double mean = sum / static_cast<double>(x.size());
  double v = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    v += x[k] - mean;
    t.shift = std::max(t.shift, v);
    if (k + 1 == x.size() / 2) t.middle = v;
  }
  return t;
}

double percentile(const std::vector<trial>& trials, double trial::* of, double alpha) {
  std::vector<double> values;
  values.reserve(trials.size());
  for (const trial& t : trials) values.push_back(t.*of);
  const auto at = static_cast<std::size_t>(alpha * static_cast<double>(values.size()));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

void compare_formulas(notebook& book) {
  struct formula {
    const char* what;
    const char* paper;
    std::string ours;
  };
  const auto cut = [](double value) { return fixed(std::floor(value * 1000) / 1000, 3); };
  const std::array rows{
      formula{"95th percentile of (Z - mu)/sigma by the formula, n = 16", "3.6",
              fixed(maximum_percentile(16, 0.95), 1)},
      formula{"the same, n = 64", "3.9", fixed(maximum_percentile(64, 0.95), 1)},
      formula{"95th percentile of W/sigma by the formula, n = 16", "4.895",
              cut(shift_percentile(16, 0.05))},
      formula{"the same, n = 64", "9.791", fixed(shift_percentile(64, 0.05), 3)},
      formula{"E(W') = sqrt(pi/2)/2", "0.626", cut(shift_mean())},
      formula{"P(|V_8| > 4 sigma), n = 16", "0.05", fixed(two_sided_tail(2), 2)},
      formula{"P(|V_32| > 8 sigma), n = 64", "0.05", fixed(two_sided_tail(2), 2)}};
  for (const formula& row : rows) book.row(row.what, row.paper, row.ours);
}

/// What the trials with n nodes gave.
struct moments {
  double z95 = 0;
  double w95 = 0;
  summary shift;  // of W'
};

moments add_moments(data_table& table, unsigned n, const std::vector<trial>& trials) {
  const double root = std::sqrt(static_cast<double>(n));
  const auto left = n / 2;
  const double limit =
      2 * std::sqrt(static_cast<double>(left * (n - left)) / static_cast<double>(n));
  const moments found{.z95 = percentile(trials, &trial::maximum, 0.95),
                      .w95 = percentile(trials, &trial::shift, 0.95),
                      .shift = over(trials, [&](auto& t) { return t.shift / root; })};
  add(table, n, fixed(maximum_percentile(n, 0.95), 3), fixed(found.z95, 3),
      fixed(maximum_mean(n), 3), fixed(over(trials, [](auto& t) { return t.maximum; }).mean, 3),
      fixed(shift_percentile(n, 0.05), 3), fixed(found.w95, 3), fixed(shift_mean(), 4),
      fixed(found.shift.mean, 4), "0.5000",
      fixed(over(trials, [&](auto& t) { return t.shift * t.shift / n; }).mean, 4),
      fixed(over(trials, [&](auto& t) { return std::abs(t.middle) > limit; }).mean, 4));
  return found;
}

/// The sampled moments beside what the paper's formulas give for n.
void judge_moments(notebook& book, unsigned n, const moments& found, const char* z95, double w95) {
  const auto size = fmt::format(", n = {}", n);
  book.row("95th percentile of (Z - mu)/sigma, sampled" + size, z95, fixed(found.z95, 2),
           "a_n = b_n = sqrt(2 ln n) is a crude approximation at such n: the formula overstates.");
  book.row("95th percentile of W/sigma, sampled" + size, fixed(w95, 3),
           near(found.w95, w95, 0.15, fixed(found.w95, 2)),
           "Tolerance 15 %. The Brownian bridge is the limit; the maximum over n points is less.");
  book.row("E(W'), sampled" + size, "0.626",
           margin(found.shift, 0.626, 0.15, interval(found.shift, 3)),
           "Tolerance 15 %: about 0.6267 - 0.5826/sqrt(n) for a maximum over n points.");
}

void judge_tails(notebook& book) {
  for (const double k : {1.0, 2.0}) {
    const double n = 64;
    const double tail = distance_tail(1, 1 / std::sqrt(k / 2 * std::log(n)));
    const double bound = std::pow(n, -k);
    book.row("P(D >= 1) at mu = sigma sqrt(k/2 n ln n), n = 64, k = " + fixed(k, 0),
             "at most n^-k = " + fixed(bound, 6),
             proven(tail <= bound * (1 + 1e-12), fixed(tail, 6)));
  }
}

}  // namespace

void mehrotra_theory(notebook& book) {
  const std::size_t blocks = 100;
  const std::size_t per_block = book.sized(2'000, 20'000);
  book.done.method =
      "The paper's asymptotic formulas are evaluated and set beside trials with the very n: normal "
      "numbers of items per node, the maximum Z, the largest one-sided shift W, the largest "
      "distance D mu.";
  book.done.parameters = {{"trials per n", fmt::to_string(blocks * per_block), "ours"},
                          {"n", "4 .. 256", "the paper prints 16 and 64"}};
  compare_formulas(book);
  data_table& table = book.table(
      "moments", {"n", "Z 95 % formula", "Z 95 % sampled", "Z mean formula", "Z mean sampled",
                  "W 95 % formula", "W 95 % sampled", "E(W') formula", "E(W') sampled",
                  "E(W'^2) formula", "E(W'^2) sampled", "P(|V_n/2| > 2 deviations) sampled"});
  constexpr double total = 4 + 8 + 16 + 32 + 64 + 128 + 256;
  for (const unsigned n : {4U, 8U, 16U, 32U, 64U, 128U, 256U}) {
    std::vector<trial> trials(blocks * per_block);
    book.run(blocks, n / total, [&](std::size_t block) {
      normal_stream normal(book.seed(), n << 16 | static_cast<std::uint32_t>(block));
      std::vector<double> x(n);
      for (std::size_t i = 0; i < per_block; ++i) trials[block * per_block + i] = draw(normal, x);
    });
    const moments found = add_moments(table, n, trials);
    if (n == 16) judge_moments(book, n, found, "3.6", 4.895);
    if (n == 64) judge_moments(book, n, found, "3.9", 9.791);
  }
  book.row("E(W'^2) in the bound on the time", "0.31", std::string("0.5"),
           "The integral of 2x exp(-2 x^2) over x > 0 is 1/2; see the column of the table. With "
           "0.31 the expected time is no upper bound.");
  judge_tails(book);
  book.draw("shift", "95th percentile of the largest shift W / sigma", table,
            {"processors n", {"n"}}, {"W / sigma", {"W 95 % formula", "W 95 % sampled"}},
            {.log_x = true, .log_y = true});
  book.draw("maximum", "95th percentile of the maximum (Z - mu) / sigma", table,
            {"processors n", {"n"}}, {"(Z - mu) / sigma", {"Z 95 % formula", "Z 95 % sampled"}},
            {.log_x = true});
}

}  // namespace evencube::papers
