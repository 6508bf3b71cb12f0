#include <algorithm>
#include <cmath>
#include <numbers>

#include <evencube/workloads/path_tracer.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

using kind = surface::kind;

constexpr unsigned most_rays = 24;  // of a path
constexpr unsigned sure_rays = 4;   // before a dim one may be given up
constexpr double glass_index = 1.5;

/// Even among all directions.
point3 any_direction(random_stream& random) {
  const double z = 1 - 2 * random.fraction();
  const double around = 2 * std::numbers::pi * random.fraction();
  const double r = std::sqrt(std::max(0.0, 1 - z * z));
  return {r * std::cos(around), r * std::sin(around), z};
}

point3 mirrored(const point3& direction, const point3& normal) {
  return direction - 2 * dot(direction, normal) * normal;
}

point3 through_glass(const point3& direction, const point3& outward, random_stream& random) {
  const bool enters = dot(direction, outward) < 0;
  const point3 normal = enters ? outward : -1.0 * outward;
  const double ratio = enters ? 1 / glass_index : glass_index;
  const double cosine = std::min(-dot(direction, normal), 1.0);
  const double sine_squared = ratio * ratio * (1 - cosine * cosine);
  const double head_on = std::pow((1 - glass_index) / (1 + glass_index), 2);
  const double mirrors = head_on + (1 - head_on) * std::pow(1 - cosine, 5);
  if (sine_squared > 1 || random.fraction() < mirrors) return mirrored(direction, normal);
  return unit(ratio * direction + (ratio * cosine - std::sqrt(1 - sine_squared)) * normal);
}

point3 colour_at(const surface& of, const point3& where) {
  if (of.what != kind::checked) return of.colour;
  const auto square = std::lround(std::floor(where.x)) + std::lround(std::floor(where.z));
  return square % 2 == 0 ? of.colour : 0.35 * of.colour;
}

point3 bright_colour(random_stream& random) {
  const double hue = 6 * random.fraction();
  const auto channel = [&](double shift) {
    const double at = std::fmod(hue + shift, 6.0);
    return 0.15 + 0.75 * std::clamp(std::abs(at - 3) - 1, 0.0, 1.0);
  };
  return {channel(0), channel(2), channel(4)};
}

}  // namespace

small_scene::small_scene(std::uint64_t seed) {
  spheres_ = {{{0, -1000, 0}, 1000, {kind::checked, {0.75, 0.72, 0.68}}},
              {{-2.1, 1, 0.2}, 1, {kind::dull, {0.78, 0.32, 0.20}}},
              {{0, 1, 0.9}, 1, {kind::glass, {1, 1, 1}}},
              {{2.1, 1, 0.2}, 1, {kind::metal, {0.92, 0.78, 0.50}, 0.02}},
              {{-0.8, 3.6, -2.4}, 0.5, {kind::lamp, {14, 12, 9}}}};
  random_stream random{mix_bits(seed)};
  for (int row = -4; row <= 4; ++row) {
    for (int column = -6; column <= 6; ++column) {
      const double radius = 0.12 + 0.12 * random.fraction();
      const point3 centre{0.95 * column + 0.5 * random.fraction(), radius,
                          0.95 * row + 0.5 * random.fraction()};
      const double chance = random.fraction();
      surface of{kind::dull, bright_colour(random)};
      if (chance > 0.85) {
        of = {kind::glass, {1, 1, 1}};
      } else if (chance > 0.6) {
        of.what = kind::metal;
        of.roughness = 0.15 * random.fraction();
      }
      const bool free =
          std::none_of(spheres_.begin() + 1, spheres_.end(), [&](const sphere& other) {
            return length(other.centre - centre) < other.radius + radius;
          });
      if (free) spheres_.push_back({centre, radius, of});
    }
  }
}

std::optional<meeting> small_scene::meet(const ray& from, double least) const noexcept {
  std::optional<meeting> first;
  double most = 1e300;
  for (const sphere& one : spheres_) {
    const auto to_centre = one.centre - from.origin;
    const double nearest = dot(to_centre, from.direction);
    // Of the distance to the ray, not of two large numbers that nearly cancel.
    const auto aside = to_centre - nearest * from.direction;
    const double within = one.radius * one.radius - dot(aside, aside);
    if (within < 0) continue;
    const double half = std::sqrt(within);
    const double distance = nearest - half > least ? nearest - half : nearest + half;
    if (distance > least && distance < most) {
      most = distance;
      first = meeting{distance, &one};
    }
  }
  return first;
}

point3 small_scene::sky(const point3& direction) noexcept {
  const double up = std::clamp(0.5 * (direction.y + 1), 0.0, 1.0);
  return (1 - up) * point3{0.75, 0.62, 0.52} + up * point3{0.22, 0.36, 0.62};
}

point3 small_scene::light_at(std::uint32_t x, std::uint32_t y, std::uint32_t side,
                             std::uint32_t samples, std::uint64_t* rays) const noexcept {
  const point3 eye{1.2, 2.2, 7.5};
  const point3 ahead = unit(point3{0, 0.75, 0} - eye);
  const point3 right = unit(cross(ahead, {0, 1, 0}));
  const point3 above = cross(right, ahead);
  constexpr double half_angle = 0.44;  // tangent
  random_stream random{mix_bits((std::uint64_t{y} << 32 | x) ^ 0x7ace)};
  point3 sum;
  std::uint64_t taken = 0;
  for (std::uint32_t sample = 0; sample < samples; ++sample) {
    const double across = (2 * (x + random.fraction()) / side - 1) * half_angle;
    const double up = (1 - 2 * (y + random.fraction()) / side) * half_angle;
    ray at{eye, unit(ahead + across * right + up * above)};
    point3 carries{1, 1, 1};
    for (unsigned count = 0; count < most_rays; ++count) {
      ++taken;
      const auto found = meet(at);
      if (!found) {
        sum = sum + carries * sky(at.direction);
        break;
      }
      const auto& [centre, radius, of] = *found->what;
      const point3 where = at.origin + found->distance * at.direction;
      if (of.what == kind::lamp) {
        sum = sum + carries * of.colour;
        break;
      }
      const point3 outward = (1 / radius) * (where - centre);
      carries = carries * colour_at(of, where);
      point3 onward;
      if (of.what == kind::glass) {
        onward = through_glass(at.direction, outward, random);
      } else if (of.what == kind::metal) {
        onward = mirrored(at.direction, outward) + of.roughness * any_direction(random);
        if (dot(onward, outward) <= 0) break;  // into the metal
        onward = unit(onward);
      } else {
        const point3 lifted = outward + any_direction(random);
        onward = dot(lifted, lifted) < 1e-12 ? outward : unit(lifted);
      }
      // Dim paths end by chance, and those that go on make up for them.
      if (count >= sure_rays) {
        const double keep = std::clamp(std::max({carries.x, carries.y, carries.z}), 0.05, 1.0);
        if (random.fraction() >= keep) break;
        carries = (1 / keep) * carries;
      }
      at = {where, onward};
    }
  }
  if (rays != nullptr) *rays += taken;
  return (1.0 / samples) * sum;
}

}  // namespace evencube::workloads
