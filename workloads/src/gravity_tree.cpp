#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <evencube/workloads/gravity_tree.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

constexpr unsigned levels = 21;  // bits of a coordinate in a key
constexpr std::uint32_t bodies_of_leaf = 8;

/// Puts two zero bits after each of the lower 21 bits.
std::uint64_t spread_bits(std::uint64_t value) {
  value &= 0x1fffffU;
  value = (value | value << 32) & 0x001f00000000ffffU;
  value = (value | value << 16) & 0x001f0000ff0000ffU;
  value = (value | value << 8) & 0x100f00f00f00f00fU;
  value = (value | value << 4) & 0x10c30c30c30c30c3U;
  return (value | value << 2) & 0x1249249249249249U;
}

double open_fraction(random_stream& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

struct galaxy {
  double part;   // share of the total mass
  double scale;  // its surface density falls by the factor e over this distance
  point3 place;
  point3 velocity;
  double tilt;  // angle about the first axis
};

point3 tilted(const point3& point, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {point.x, c * point.y - s * point.z, s * point.y + c * point.z};
}

/// The share of a disc's mass within `scales` scale lengths: the density is r e^-r.
double disc_within(double scales) { return 1 - (1 + scales) * std::exp(-scales); }

/// A star of a galaxy. Two stars of five are in its bulge, a sphere after Plummer (1911), where
/// they move in any direction. The other stars are in an exponential disc, on nearly circular
/// orbits about its middle.
body star_of(const galaxy& home, random_stream& random) {
  constexpr double bulge_part = 0.4;
  constexpr double warmth = 0.2;
  const double core = 0.25 * home.scale;
  const auto bulge_within = [&](double radius) {
    return std::pow(radius / std::sqrt(radius * radius + core * core), 3);
  };
  // A random number of variance 1 that is never large.
  const auto shake = [&] { return 2.449 * (open_fraction(random) + open_fraction(random) - 1); };
  if (open_fraction(random) < bulge_part) {
    const double part = std::min(open_fraction(random), 0.97);
    const double radius = core / std::sqrt(std::pow(part, -2.0 / 3) - 1);
    const double up = 2 * open_fraction(random) - 1;
    const double angle = 2 * std::numbers::pi * open_fraction(random);
    const double flat = std::sqrt(1 - up * up);
    const point3 position{radius * flat * std::cos(angle), radius * flat * std::sin(angle),
                          radius * up};
    const double within = home.part * (bulge_part * bulge_within(radius) +
                                       (1 - bulge_part) * disc_within(radius / home.scale));
    const double speed = std::sqrt(within / (3 * std::max(radius, 0.2 * core)));
    return {home.place + position, home.velocity + speed * point3{shake(), shake(), shake()}};
  }
  // The sum of two exponential radii has the density of such a disc.
  const double out = std::min(-std::log(open_fraction(random) * open_fraction(random)), 6.0);
  const double angle = 2 * std::numbers::pi * open_fraction(random);
  const double radius = out * home.scale;
  const double within =
      home.part * (bulge_part * bulge_within(radius) + (1 - bulge_part) * disc_within(out));
  const double speed = std::sqrt(within / std::max(radius, 0.2 * core));
  const double around = speed * (1 + warmth * shake() / 2);
  const double away = speed * warmth * shake();
  const point3 position{radius * std::cos(angle), radius * std::sin(angle),
                        0.06 * home.scale * shake()};
  const point3 velocity{-around * std::sin(angle) + away * std::cos(angle),
                        around * std::cos(angle) + away * std::sin(angle),
                        0.5 * speed * warmth * shake()};
  return {home.place + tilted(position, home.tilt), home.velocity + tilted(velocity, home.tilt)};
}

}  // namespace

std::vector<body> make_galaxies(std::size_t bodies, std::uint64_t seed) {
  constexpr galaxy first{0.75, 0.6, {-0.6, -0.25, 0}, {0.17, -0.10, 0}, 0.35};
  constexpr galaxy second{0.25, 0.35, {1.8, 0.75, 0}, {-0.51, 0.30, 0}, -0.9};
  random_stream random{mix_bits(seed)};
  std::vector<body> made;
  made.reserve(bodies);
  for (std::size_t i = 0; i < bodies; ++i)
    made.push_back(star_of(i % 4 == 3 ? second : first, random));
  return made;
}

void gravity_tree::build(std::span<const body> bodies, double softening, const sorter& sort) {
  each_ = 1.0 / static_cast<double>(bodies.size());
  softening_squared_ = softening * softening;
  point3 low = bodies.front().position;
  point3 high = low;
  for (const auto& [p, velocity] : bodies) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const auto extent = high - low;
  const double side = std::max({extent.x, extent.y, extent.z, 1e-300}) * (1 + 1e-9);
  const double scale = (1U << levels) / side;
  order_.resize(bodies.size());
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const auto cell = scale * (bodies[i].position - low);
    const auto bits = [](double at) {
      constexpr double last = (1U << levels) - 1;
      return spread_bits(static_cast<std::uint64_t>(std::min(at, last)));
    };
    order_[i] = {bits(cell.x) << 2 | bits(cell.y) << 1 | bits(cell.z), i};
  }
  sort(order_);
  points_.clear();
  points_.reserve(bodies.size());
  for (const auto& place : order_) points_.push_back(bodies[place.index].position);
  nodes_.clear();
  add_node(0, static_cast<std::uint32_t>(bodies.size()), 0, side);
}

void gravity_tree::add_node(std::uint32_t begin, std::uint32_t end, unsigned level, double side) {
  const std::size_t self = nodes_.size();
  point3 sum;
  for (auto i = begin; i < end; ++i) sum = sum + points_[i];
  const auto count = static_cast<double>(end - begin);
  const bool leaf = end - begin <= bodies_of_leaf || level == levels;
  nodes_.push_back({(1 / count) * sum, count * each_, side, begin, end, 0, leaf});
  if (!leaf) {
    const unsigned shift = 3 * (levels - 1 - level);
    for (auto from = begin; from < end;) {
      const auto octant = order_[from].key >> shift;
      const auto last = std::partition_point(
          order_.begin() + from, order_.begin() + end,
          [&](const body_place& place) { return place.key >> shift == octant; });
      const auto to = static_cast<std::uint32_t>(last - order_.begin());
      add_node(from, to, level + 1, side / 2);
      from = to;
    }
  }
  nodes_[self].after = static_cast<std::uint32_t>(nodes_.size());
}

gravity gravity_tree::at(std::size_t place, double opening) const noexcept {
  const point3 here = points_[place];
  gravity felt;
  const auto attract = [&](const point3& where, double mass) {
    const auto away = where - here;
    const double inverse = 1 / std::sqrt(dot(away, away) + softening_squared_);
    felt.acceleration = felt.acceleration + mass * inverse * inverse * inverse * away;
    felt.potential -= mass * inverse;
    ++felt.interactions;
  };
  for (std::size_t index = 0; index < nodes_.size();) {
    const node& at = nodes_[index];
    const auto away = at.centre - here;
    const bool within = place >= at.begin && place < at.end;
    if (!within && at.side * at.side < opening * opening * dot(away, away)) {
      attract(at.centre, at.mass);
      index = at.after;
    } else if (at.leaf) {
      for (auto i = at.begin; i < at.end; ++i) {
        if (i != place) attract(points_[i], each_);
      }
      index = at.after;
    } else {
      ++index;
    }
  }
  return felt;
}

}  // namespace evencube::workloads
