#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <evencube/workloads/image_file.hpp>

namespace evencube::workloads {

/// The deepest zoom. The distance from one pixel to the next, even of the largest picture, must be
/// a normal double that can be divided further.
inline constexpr double deepest_zoom = 1e280;

/// The part of the plane that the picture shows.
struct mandelbrot_view {
  std::string real;            ///< Real part of the centre, in the form of fixed_point.
  std::string imaginary;       ///< Imaginary part of the centre.
  double zoom = 1;             ///< At 1, a side is 4 long. In [0.1, deepest_zoom].
  std::uint32_t side = 1024;   ///< Side in pixels.
  std::uint32_t limit = 1000;  ///< Iterations after which a point counts as a member of the set.
};

/// Computes how quickly each point of a view escapes from z -> z^2 + c, by perturbation. Only the
/// orbit of the centre is computed with as many digits as the zoom needs. The orbit of each pixel
/// is followed as its difference from that orbit, in doubles. If the difference becomes larger than
/// the value itself, or the centre's orbit has ended, the pixel continues from the beginning of the
/// centre's orbit ("rebasing"). This keeps the difference exact where the two orbits diverge.
///
/// Immutable; thread-safe.
class mandelbrot_plane {
 public:
  /// Computes the centre's orbit: O(limit x (log2 zoom)^2) on the calling thread. Throws
  /// std::invalid_argument for a centre that is not a decimal in -4 .. 4, and for a zoom or a side
  /// out of range.
  explicit mandelbrot_plane(const mandelbrot_view& view);

  /// Returns the number of iterations until |z| > 256 for the pixel at (x, y) from the top left
  /// corner of the picture. A fraction makes this number continuous: n + 1 - log2(log2 |z|). The
  /// value is below 0 for points that do not escape within the limit. Adds the iterations to
  /// `*work` unless `work` is null.
  [[nodiscard]] float escape(std::uint32_t x, std::uint32_t y,
                             std::uint64_t* work = nullptr) const noexcept;

  [[nodiscard]] const mandelbrot_view& view() const noexcept { return view_; }

 private:
  mandelbrot_view view_;
  double step_;                              // between two pixels
  std::vector<std::complex<double>> orbit_;  // the centre's orbit; begins with 0
};

/// Returns the colour for a value of escape(), in a picture where `least` is the least value of an
/// escaping point. The set is black.
[[nodiscard]] rgb8 escape_colour(float escape, float least) noexcept;

}  // namespace evencube::workloads
