#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "../common/program.hpp"

namespace bench::integrate {

inline constexpr double tolerance = 1e-9;

inline const workload about{
    "integrate", "call", {{"n", "1000", "10", "the integral goes from 0 to n"}}};

inline double f(double x) { return (x * x + 1.0) * x; }

/// A piece of the area under f: its ends, the values there, and the area of the trapezium.
struct piece {
  double left, at_left, right, at_right, area;
};

inline piece piece_between(double left, double at_left, double right, double at_right) {
  return {left, at_left, right, at_right, (at_left + at_right) * (right - left) / 2.0};
}

inline bool is_close(const piece& whole, const piece& low, const piece& high) {
  return std::abs(low.area + high.area - whole.area) < tolerance;
}

/// The two halves of `whole`.
inline std::pair<piece, piece> halves(const piece& whole) {
  const double middle = whole.left + (whole.right - whole.left) / 2.0;
  const double at_middle = f(middle);
  return {piece_between(whole.left, whole.at_left, middle, at_middle),
          piece_between(middle, at_middle, whole.right, whole.at_right)};
}

inline std::uint64_t count_calls(const piece& whole) {
  const auto [low, high] = halves(whole);
  return is_close(whole, low, high) ? 1 : 1 + count_calls(low) + count_calls(high);
}

/// `compute(whole)` returns the integral: trapezia are halved until that changes nothing.
template <typename Compute>
int measure(program& with, const Compute& compute) {
  const auto end = static_cast<double>(with.number("n"));
  const piece whole = piece_between(0.0, f(0.0), end, f(end));
  const double right = end * end * end * end / 4.0 + end * end / 2.0;
  double result = 0.0;
  return with.measure({
      .units = static_cast<double>(count_calls(whole)),
      .run = [&] { return timed([&] { result = compute(whole); }); },
      .verify =
          [&] {
            const bool near = std::abs(result - right) <= 1e-6 * right;
            return near ? "" : "the integral is " + std::to_string(result);
          },
  });
}

}  // namespace bench::integrate
