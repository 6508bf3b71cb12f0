#pragma once

#include <cmath>

namespace evencube::workloads {

/// A point, or a direction, in space.
struct point3 {
  double x = 0;
  double y = 0;
  double z = 0;

  friend point3 operator+(const point3& a, const point3& b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend point3 operator-(const point3& a, const point3& b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend point3 operator*(double factor, const point3& a) noexcept {
    return {factor * a.x, factor * a.y, factor * a.z};
  }
  /// Multiplies component by component.
  friend point3 operator*(const point3& a, const point3& b) noexcept {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
  }
  friend bool operator==(const point3&, const point3&) = default;
};

[[nodiscard]] inline double dot(const point3& a, const point3& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] inline point3 cross(const point3& a, const point3& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] inline double length(const point3& a) noexcept { return std::sqrt(dot(a, a)); }
/// Returns `a` scaled to length one; `a` must not be zero.
[[nodiscard]] inline point3 unit(const point3& a) noexcept { return (1 / length(a)) * a; }

}  // namespace evencube::workloads
