#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <evencube/workloads/fixed_point.hpp>
#include <evencube/workloads/mandelbrot.hpp>

namespace evencube::workloads {
namespace {

/// Large, so that what is left of |z| after the logarithms is smooth from pixel to pixel.
constexpr double escape_radius_squared = 65536;

/// Binary places in words: those of a pixel's distance, and as many more as errors of the orbit,
/// which grow with its length, may take.
std::size_t words_for(double zoom) {
  return static_cast<std::size_t>(std::max(0.0, std::ceil(std::log2(zoom))) + 96) / 32 + 1;
}

fixed_point coordinate(const std::string& text, const char* option, double zoom) {
  try {
    fixed_point value{text, words_for(zoom)};
    if (std::abs(value.to_double()) > 4)
      throw std::invalid_argument{text + " is not within -4 .. 4"};
    return value;
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument{std::string{option} + " " + problem.what()};
  }
}

/// Until it is 2 away, from where on it escapes.
std::vector<std::complex<double>> orbit_of(const fixed_point& real, const fixed_point& imaginary,
                                           double zoom, std::uint32_t limit) {
  const std::size_t words = words_for(zoom);
  std::vector<std::complex<double>> orbit{{0, 0}};
  fixed_point x{words};
  fixed_point y{words};
  for (std::uint32_t n = 0; n < limit; ++n) {
    const auto next = x * x - y * y + real;
    y = (x * y).doubled() + imaginary;
    x = next;
    orbit.emplace_back(x.to_double(), y.to_double());
    if (std::norm(orbit.back()) > 4) break;
  }
  return orbit;
}

struct colour_stop {
  double at;
  double red;
  double green;
  double blue;
};

// Night, sea, ice, amber, wood, and night again.
constexpr std::array<colour_stop, 6> stops{{{0.00, 8, 12, 60},
                                            {0.18, 28, 94, 190},
                                            {0.42, 236, 250, 255},
                                            {0.62, 255, 178, 36},
                                            {0.84, 96, 24, 20},
                                            {1.00, 8, 12, 60}}};

}  // namespace

mandelbrot_plane::mandelbrot_plane(const mandelbrot_view& view)
    : view_{view}, step_{4 / view.zoom / view.side} {
  if (!(view.zoom >= 0.1 && view.zoom <= deepest_zoom)) {
    throw std::invalid_argument{"zoom must be within 0.1 .. 1e280"};
  }
  if (view.side == 0 || view.side > max_picture_side) {
    throw std::invalid_argument{"a picture has 1 to 32768 pixels along its side"};
  }
  orbit_ = orbit_of(coordinate(view.real, "--real", view.zoom),
                    coordinate(view.imaginary, "--imaginary", view.zoom), view.zoom, view.limit);
}

float mandelbrot_plane::escape(std::uint32_t x, std::uint32_t y,
                               std::uint64_t* work) const noexcept {
  const double centre = view_.side / 2.0 - 0.5;
  const double c_real = (x - centre) * step_;
  const double c_imaginary = (centre - y) * step_;
  const std::size_t last = orbit_.size() - 1;
  double d_real = 0;
  double d_imaginary = 0;
  std::size_t at = 0;
  for (std::uint32_t n = 0; n < view_.limit; ++n) {
    // (Z + d)^2 + C + c = Z^2 + C + (2 Z + d) d + c
    const double s_real = 2 * orbit_[at].real() + d_real;
    const double s_imaginary = 2 * orbit_[at].imag() + d_imaginary;
    const double next = s_real * d_real - s_imaginary * d_imaginary + c_real;
    d_imaginary = s_real * d_imaginary + s_imaginary * d_real + c_imaginary;
    d_real = next;
    ++at;
    const double z_real = orbit_[at].real() + d_real;
    const double z_imaginary = orbit_[at].imag() + d_imaginary;
    const double size = z_real * z_real + z_imaginary * z_imaginary;
    if (size > escape_radius_squared) {
      if (work != nullptr) *work += n;
      return static_cast<float>(n + 1 - std::log2(std::log2(size) / 2));
    }
    // Of sums, not of squares, which would underflow where the zoom is deep.
    const bool outgrown =
        std::abs(z_real) + std::abs(z_imaginary) < std::abs(d_real) + std::abs(d_imaginary);
    if (at == last || outgrown) {
      d_real = z_real;
      d_imaginary = z_imaginary;
      at = 0;
    }
  }
  if (work != nullptr) *work += view_.limit;
  return -1;
}

rgb8 escape_colour(float escape, float least) noexcept {
  if (!(escape >= 0)) return {0, 0, 0};
  // Near the set iterations grow without bound: the root spreads colours over all of them.
  const double turns = 0.04 + 0.11 * std::sqrt(std::max(escape - least, 0.0F));
  const double at = turns - std::floor(turns);
  std::size_t i = 1;
  while (i + 1 < stops.size() && stops[i].at < at) ++i;
  const auto& from = stops[i - 1];
  const auto& to = stops[i];
  const double linear = (at - from.at) / (to.at - from.at);
  const double part = linear * linear * (3 - 2 * linear);
  const auto mix = [part](double a, double b) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * part));
  };
  return {mix(from.red, to.red), mix(from.green, to.green), mix(from.blue, to.blue)};
}

}  // namespace evencube::workloads
