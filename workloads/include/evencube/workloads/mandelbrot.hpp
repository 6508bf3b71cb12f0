#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <evencube/workloads/image_file.hpp>

namespace evencube::workloads {

/// The deepest zoom. Even in the largest picture, the distance between adjacent pixels must be a
/// normal double that can be divided further.
inline constexpr double deepest_zoom = 1e280;

/// The part of the plane that the picture shows.
struct mandelbrot_view {
  std::string real;            ///< Real part of the centre, as parsed by fixed_point.
  std::string imaginary;       ///< Imaginary part of the centre.
  double zoom = 1;             ///< At 1, each side has length 4. In [0.1, deepest_zoom].
  std::uint32_t side = 1024;   ///< Side in pixels.
  std::uint32_t limit = 1000;  ///< Iterations after which a point counts as a member of the set.
};

/// Computes how quickly each point of a view escapes from z -> z^2 + c, by perturbation. Only the
/// centre's orbit is computed with all digits that the zoom needs. Each pixel's orbit is followed
/// as its difference from the centre's orbit, in doubles. If the difference becomes larger than the
/// pixel's value, or the centre's orbit has ended, the pixel continues from the beginning of the
/// centre's orbit ("rebasing"). This keeps the difference exact when the two orbits diverge.
///
/// Immutable; thread-safe.
class mandelbrot_plane {
 public:
  /// Computes the centre's orbit: O(limit x (log2 zoom)^2) on the calling thread. Throws
  /// std::invalid_argument for a centre that is not a decimal in -4 .. 4, and for an out-of-range
  /// zoom or side.
  explicit mandelbrot_plane(const mandelbrot_view& view);

  /// Returns the number of iterations until |z| > 256 for pixel (x, y), counted from the picture's
  /// top left corner. A fractional part makes this number continuous: n + 1 - log2(log2 |z|). The
  /// result is below 0 for points that do not escape within the limit. Adds the number of
  /// iterations to `*work` unless `work` is null.
  [[nodiscard]] float escape(std::uint32_t x, std::uint32_t y,
                             std::uint64_t* work = nullptr) const noexcept;

  [[nodiscard]] const mandelbrot_view& view() const noexcept { return view_; }

 private:
  mandelbrot_view view_;
  double step_;                              // between two pixels
  std::vector<std::complex<double>> orbit_;  // the centre's orbit; begins with 0
};

/// Returns the colour for a result of escape(), in a picture where `least` is the smallest result
/// for an escaping point. Points in the set are black.
[[nodiscard]] rgb8 escape_colour(float escape, float least) noexcept;

}  // namespace evencube::workloads
