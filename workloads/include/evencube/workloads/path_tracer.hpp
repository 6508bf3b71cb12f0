#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <evencube/workloads/point3.hpp>

namespace evencube::workloads {

/// What light does where it meets a surface.
struct surface {
  enum class kind : std::uint8_t {
    dull,     ///< Goes on in any direction, by the cosine.
    checked,  ///< Dull, in squares of two colours.
    metal,    ///< Is mirrored, a little off by `roughness`.
    glass,    ///< Is refracted by 1.5, or mirrored, as Schlick's formula says.
    lamp      ///< Ends: `colour` is what it shines with.
  };
  kind what = kind::dull;
  point3 colour;
  double roughness = 0;
};

struct sphere {
  point3 centre;
  double radius;
  surface of;
};

/// A way that light comes along, backwards. `direction` has length one.
struct ray {
  point3 origin;
  point3 direction;
};

/// Where a ray meets something first.
struct meeting {
  double distance;
  const sphere* what;
};

/// Spheres under an evening sky, seen from a camera. Immutable; thread-safe.
class small_scene {
 public:
  /// A floor, three large spheres of glass, metal and clay, a lamp, and many small ones from
  /// `seed`.
  explicit small_scene(std::uint64_t seed);
  /// Of these alone.
  explicit small_scene(std::vector<sphere> spheres) : spheres_{std::move(spheres)} {}

  /// From `least` on. O(spheres).
  [[nodiscard]] std::optional<meeting> meet(const ray& from, double least = 1e-7) const noexcept;

  /// Light that comes to pixel (x, y) of a square picture of `side` pixels: the mean of `samples`
  /// paths, whose random numbers follow from the pixel alone. `rays`, if not null, is increased by
  /// the number of rays that it took.
  [[nodiscard]] point3 light_at(std::uint32_t x, std::uint32_t y, std::uint32_t side,
                                std::uint32_t samples, std::uint64_t* rays) const noexcept;

  /// What shines from a direction where there is nothing.
  [[nodiscard]] static point3 sky(const point3& direction) noexcept;

 private:
  std::vector<sphere> spheres_;
};

}  // namespace evencube::workloads
