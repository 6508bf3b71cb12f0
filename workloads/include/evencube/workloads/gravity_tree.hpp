#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <evencube/workloads/point3.hpp>

namespace evencube::workloads {

/// Bodies of equal mass, all of which together are 1, as is the constant of gravitation.
struct body {
  point3 position;
  point3 velocity;

  friend bool operator==(const body&, const body&) = default;
};

/// Two galaxies that fall into each other, tilted, the second a third of the first: densities that
/// differ by orders of magnitude, and move. From `seed` alone.
[[nodiscard]] std::vector<body> make_galaxies(std::size_t bodies, std::uint64_t seed);

/// What a body feels.
struct gravity {
  point3 acceleration;
  double potential = 0;            ///< Per unit of mass.
  std::uint32_t interactions = 0;  ///< Bodies and nodes that it took.
};

/// A place along the curve that visits neighbours soon after each other, and the body there.
struct body_place {
  std::uint64_t key;
  std::uint32_t index;

  friend auto operator<=>(const body_place&, const body_place&) = default;
};

/// An octree of bodies (Barnes and Hut, 1986). What a body feels from a node that looks smaller
/// than `opening`, its side by its distance, is taken from its centre of mass alone.
class gravity_tree {
 public:
  /// Sorts places, by whatever way.
  using sorter = std::function<void(std::vector<body_place>&)>;

  /// O(n log n). `softening` keeps the force of two bodies that meet finite: r^2 + softening^2
  /// stands for r^2.
  void build(std::span<const body> bodies, double softening, const sorter& sort);

  /// What body `order()[place]` feels. Thread-safe. With an opening of 0 every body counts.
  [[nodiscard]] gravity at(std::size_t place, double opening) const noexcept;

  /// The bodies along the curve: indices into what the tree was built of.
  [[nodiscard]] const std::vector<body_place>& order() const noexcept { return order_; }

 private:
  struct node {
    point3 centre;  // of mass
    double mass;
    double side;
    std::uint32_t begin;  // its bodies, along the curve
    std::uint32_t end;
    std::uint32_t after;  // the node that follows those within it
    bool leaf;
  };

  void add_node(std::uint32_t begin, std::uint32_t end, unsigned level, double side);

  std::vector<body_place> order_;
  std::vector<point3> points_;  // along the curve
  std::vector<node> nodes_;     // each before those within it
  double each_ = 0;             // mass of a body
  double softening_squared_ = 0;
};

}  // namespace evencube::workloads
