#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <evencube/workloads/point3.hpp>

namespace evencube::workloads {

/// The effect of a surface on light.
struct surface {
  enum class kind : std::uint8_t {
    dull,     ///< Scatters light in all directions, by the cosine law.
    checked,  ///< Like dull, with squares of two colours.
    metal,    ///< Reflects light, scattered a little by `roughness`.
    glass,    ///< Refracts light with index 1.5, or reflects it, by Schlick's formula.
    lamp      ///< Ends the path and emits light of `colour`.
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

/// A ray, traced from the camera. `direction` has length one.
struct ray {
  point3 origin;
  point3 direction;
};

/// The first sphere that a ray meets, and the distance to it.
struct meeting {
  double distance;
  const sphere* what;
};

/// Spheres under an evening sky, seen from a camera. Immutable; thread-safe.
class small_scene {
 public:
  /// Makes a floor, three large spheres of glass, metal and clay, a lamp, and small random spheres
  /// from `seed`.
  explicit small_scene(std::uint64_t seed);
  /// Makes a scene of only these spheres.
  explicit small_scene(std::vector<sphere> spheres) : spheres_{std::move(spheres)} {}

  /// Returns the first sphere that the ray meets at a distance of at least `least`. O(spheres).
  [[nodiscard]] std::optional<meeting> meet(const ray& from, double least = 1e-7) const noexcept;

  /// Returns the light of pixel (x, y) of a square picture with sides of `side` pixels: the mean of
  /// `samples` paths, whose random numbers depend only on the pixel. Adds the number of rays
  /// followed to `*rays` unless `rays` is null.
  [[nodiscard]] point3 light_at(std::uint32_t x, std::uint32_t y, std::uint32_t side,
                                std::uint32_t samples, std::uint64_t* rays) const noexcept;

  /// Returns the sky's light from a direction.
  [[nodiscard]] static point3 sky(const point3& direction) noexcept;

 private:
  std::vector<sphere> spheres_;
};

}  // namespace evencube::workloads
