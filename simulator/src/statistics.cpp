#include <evencube/simulator/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "text.hpp"

namespace evencube::simulator {
namespace {

// The continued fraction of the incomplete beta function, evaluated by Lentz's method. It converges
// fast for x < (a + 1)/(a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m < 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double step = c * d;
    value *= step;
    if (std::abs(step - 1) < 1e-15) break;
  }
  return value;
}

double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                   : 1 - front * beta_fraction(1 - x, b, a) / b;
}

}  // namespace

double student_t_probability(double t, double degrees) {
  const double tail = incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double probability, double degrees) {
  if (!(probability > 0 && probability < 1) || !(degrees > 0)) {
    throw std::invalid_argument("Student's t: probability " + shortest(probability) +
                                " must lie in (0, 1) and degrees " + shortest(degrees) +
                                " must be > 0");
  }
  if (probability < 0.5) return -student_t_quantile(1 - probability, degrees);
  double low = 0;
  double high = 1;
  while (student_t_probability(high, degrees) < probability) high *= 2;
  for (int step = 0; step < 200 && high - low > 1e-12 * high; ++step) {
    const double middle = (low + high) / 2;
    (student_t_probability(middle, degrees) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

double normalised_performance(double without, double with, double optimum) noexcept {
  return without > optimum ? (without - with) / (without - optimum) : 0;
}

summary summarise(std::span<const double> values) {
  summary made;
  made.count = values.size();
  if (values.empty()) return made;
  running_moments moments;
  for (const double value : values) moments.add(value);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  made.mean = moments.mean();
  made.deviation = std::sqrt(moments.variance());
  made.minimum = *least;
  made.maximum = *greatest;
  const auto count = static_cast<double>(values.size());
  made.half_width = values.size() < 2
                        ? std::numeric_limits<double>::infinity()
                        : student_t_quantile(0.975, count - 1) * made.deviation / std::sqrt(count);
  return made;
}

}  // namespace evencube::simulator
