#pragma once

#include <cstdint>
#include <span>

#include <evencube/detail/compiler.hpp>

namespace evencube::simulator {

/// The mean and spread of a sample, and the half width of the 95 % confidence interval for its
/// mean.
struct summary {
  std::uint64_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< sample standard deviation (divisor count - 1); 0 for count < 2
  /// By Student's t at 95 % with count - 1 degrees of freedom; infinite for count < 2.
  double half_width = 0;
  double minimum = 0;
  double maximum = 0;

  /// Returns true if `value` lies within the confidence interval.
  [[nodiscard]] bool contains(double value) const noexcept {
    return value >= mean - half_width && value <= mean + half_width;
  }
};

/// Summarises independent values, one per replication. O(n).
[[nodiscard]] EVENCUBE_EXPORT summary summarise(std::span<const double> values);

/// Returns Pi (Loh et al. 1996), a strategy's gain over no balancing as a share of the gain with
/// perfect balance: (without - with) / (without - optimum). The arguments are makespans. `optimum`
/// is one processor's time divided by the number of processors. 1 means perfect balance; a value
/// below 0 means that the strategy is worse than no balancing. Returns 0 if there is nothing to
/// gain.
[[nodiscard]] EVENCUBE_EXPORT double normalised_performance(double without, double with,
                                                            double optimum) noexcept;

/// Returns P(T <= t) for Student's t with `degrees` > 0 degrees of freedom; absolute error below
/// 1e-12. Source: the regularised incomplete beta function by its continued fraction (Abramowitz
/// and Stegun, 26.5.8 and 26.7.1).
[[nodiscard]] EVENCUBE_EXPORT double student_t_probability(double t, double degrees);

/// Returns the t with student_t_probability(t, degrees) == probability, for 0 < probability < 1;
/// relative error below 1e-9. Throws std::invalid_argument for other probabilities.
[[nodiscard]] EVENCUBE_EXPORT double student_t_quantile(double probability, double degrees);

/// The number, mean and variance of a stream of values. Welford's recurrence avoids cancellation
/// for large means.
class running_moments {
 public:
  /// Adds a value. O(1).
  void add(double value) noexcept {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value - mean_);
  }
  /// Returns the number of values.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Returns the mean of the values; 0 if there are none.
  [[nodiscard]] double mean() const noexcept { return mean_; }
  /// Returns the variance with the divisor count - 1; 0 for fewer than two values.
  [[nodiscard]] double variance() const noexcept {
    return count_ < 2 ? 0.0 : squares_ / static_cast<double>(count_ - 1);
  }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace evencube::simulator
