#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube::simulator {

/// A distribution of non-negative durations. Each value is drawn by inverse transform from one
/// uniform number and depends only on that number. Times are in the unit of the model (seconds in
/// the presets). Immutable; thread-safe.
class distribution {
 public:
  /// Makes the distribution that always gives 1.
  distribution() = default;

  /// Makes the distribution that always gives `value`, which must be >= 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution constant(double value);
  /// Makes the uniform distribution on [low, high], 0 <= low <= high.
  [[nodiscard]] EVENCUBE_EXPORT static distribution uniform(double low, double high);
  /// Makes the exponential distribution with the mean `mean`, which must be > 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution exponential(double mean);
  /// Makes a distribution that gives `high` with probability `share_high` in [0, 1], otherwise
  /// `low`. Both values must be >= 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution bimodal(double low, double high,
                                                            double share_high);
  /// Makes the Pareto distribution: P(X > x) = (minimum/x)^shape for x >= minimum; minimum > 0,
  /// shape > 0. The mean is infinite for shape <= 1, the variance for shape <= 2.
  [[nodiscard]] EVENCUBE_EXPORT static distribution pareto(double minimum, double shape);
  /// Makes a distribution that gives a trace's values in order, and starts over after the last
  /// value. `values` must not be empty, and each must be finite and >= 0.
  [[nodiscard]] EVENCUBE_EXPORT static distribution trace(std::vector<double> values);

  /// Makes the distribution described by a string such as "constant:2", "uniform:1,3",
  /// "exponential:1", "bimodal:1,10,0.1" or "pareto:1,1.5". Throws std::invalid_argument, whose
  /// message names the string and lists the allowed forms.
  [[nodiscard]] EVENCUBE_EXPORT static distribution parse(std::string_view text);

  /// Returns the value for the uniform number u in (0, 1). A trace ignores u and returns entry
  /// `index` mod length. O(1).
  [[nodiscard]] EVENCUBE_EXPORT double sample(double u, std::uint64_t index) const noexcept;

  /// Returns true if the distribution is a constant, so that no number needs to be drawn.
  [[nodiscard]] bool is_constant() const noexcept { return kind_ == kind::constant; }

  /// Returns the mean, which is infinite if the integral diverges.
  [[nodiscard]] EVENCUBE_EXPORT double mean() const noexcept;
  /// Returns the variance, which is infinite if the integral diverges.
  [[nodiscard]] EVENCUBE_EXPORT double variance() const noexcept;

  /// Returns the string that parse() reads; "trace(n values)" for a trace.
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
