#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube::simulator {

/// A distribution of non-negative durations, drawn by inverse transform from one uniform number, so
/// that a value depends on nothing but that number. Times are in the model's unit (seconds in the
/// presets). Immutable; thread-safe.
class distribution {
 public:
  /// The constant 1.
  distribution() = default;

  /// Always `value`, >= 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution constant(double value);
  /// Uniform on [low, high], 0 <= low <= high.
  [[nodiscard]] EVENCUBE_EXPORT static distribution uniform(double low, double high);
  /// Exponential with the given mean, > 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution exponential(double mean);
  /// `high` with probability `share_high` in [0, 1], otherwise `low`; both >= 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution bimodal(double low, double high,
                                                            double share_high);
  /// Pareto: P(X > x) = (minimum/x)^shape for x >= minimum; minimum > 0, shape > 0. The mean is
  /// infinite for shape <= 1, the variance for shape <= 2.
  [[nodiscard]] EVENCUBE_EXPORT static distribution pareto(double minimum, double shape);
  /// The values of a trace in their order, from the start again when they are used up; not empty,
  /// each finite and >= 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution trace(std::vector<double> values);

  /// Reads "constant:2", "uniform:1,3", "exponential:1", "bimodal:1,10,0.1", "pareto:1,1.5".
  /// Throws std::invalid_argument naming the text and what is allowed.
  [[nodiscard]] EVENCUBE_EXPORT static distribution parse(std::string_view text);

  /// The value at the uniform number u in (0, 1). A trace answers with its entry index mod length
  /// and ignores u. O(1).
  [[nodiscard]] EVENCUBE_EXPORT double sample(double u, std::uint64_t index) const noexcept;

  /// Whether every value is the same because of the kind, so that no number need be drawn.
  [[nodiscard]] bool is_constant() const noexcept { return kind_ == kind::constant; }

  /// Expectation, infinite where the integral is.
  [[nodiscard]] EVENCUBE_EXPORT double mean() const noexcept;
  /// Variance, infinite where the integral is.
  [[nodiscard]] EVENCUBE_EXPORT double variance() const noexcept;

  /// The text that parse() reads; "trace(n values)" for a trace.
  [[nodiscard]] EVENCUBE_EXPORT std::string text() const;

 private:
  enum class kind : std::uint8_t { constant, uniform, exponential, bimodal, pareto, trace };

  distribution(kind which, double a, double b, double c) : a_(a), b_(b), c_(c), kind_(which) {}

  double a_ = 1;
  double b_ = 0;
  double c_ = 0;
  std::vector<double> values_;
  kind kind_ = kind::constant;
};

}  // namespace evencube::simulator
