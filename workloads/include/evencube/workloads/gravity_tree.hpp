#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <evencube/workloads/point3.hpp>

namespace evencube::workloads {

/// A body. All bodies have the same mass; their total mass and the gravitational constant are 1.
struct body {
  point3 position;
  point3 velocity;

  friend bool operator==(const body&, const body&) = default;
};

/// Makes two tilted galaxies that fall into each other; the second has a third of the first's mass.
/// Densities differ by orders of magnitude, and dense regions move. Depends only on `bodies` and
/// `seed`.
[[nodiscard]] std::vector<body> make_galaxies(std::size_t bodies, std::uint64_t seed);

/// The gravity that acts on a body.
struct gravity {
  point3 acceleration;
  double potential = 0;            ///< Per unit of mass.
  std::uint32_t interactions = 0;  ///< Number of bodies and nodes evaluated.
};

/// A position on the space-filling curve, and the index of the body there.
struct body_place {
  std::uint64_t key;
  std::uint32_t index;

  friend auto operator<=>(const body_place&, const body_place&) = default;
};

/// An octree of bodies (Barnes and Hut, 1986). If the side of a node divided by its distance from a
/// body is below `opening`, the node's force is computed from its centre of mass alone.
class gravity_tree {
 public:
  /// A function that sorts body places.
  using sorter = std::function<void(std::vector<body_place>&)>;

  /// Builds the tree in O(n log n). Forces use r^2 + softening^2 instead of r^2, so the force
  /// between bodies that meet stays finite.
  void build(std::span<const body> bodies, double softening, const sorter& sort);

  /// Returns the gravity that acts on the body `order()[place]`. Thread-safe. With an opening of 0,
  /// every body is evaluated individually.
  [[nodiscard]] gravity at(std::size_t place, double opening) const noexcept;

  /// Returns the bodies in curve order, as indices into the bodies passed to build().
  [[nodiscard]] const std::vector<body_place>& order() const noexcept { return order_; }

 private:
  struct node {
    point3 centre;  // of mass
    double mass;
    double side;
    std::uint32_t begin;  // its first body, along the curve
    std::uint32_t end;
    std::uint32_t after;  // the next node outside this node
    bool leaf;
  };

  void add_node(std::uint32_t begin, std::uint32_t end, unsigned level, double side);

  std::vector<body_place> order_;
  std::vector<point3> points_;  // along the curve
  std::vector<node> nodes_;     // each node before the nodes within it
  double each_ = 0;             // mass of a body
  double softening_squared_ = 0;
};

}  // namespace evencube::workloads
