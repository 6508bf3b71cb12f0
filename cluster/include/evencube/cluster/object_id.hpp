#pragma once

#include <compare>
#include <cstdint>

namespace evencube {

/// The name of an object of a cluster, the same on all ranks for the object's whole life. It can be
/// sent like any other value.
struct cluster_object_id {
  /// The rank that made the object.
  std::uint32_t maker = 0;
  /// The number of the object among those that this rank has made.
  std::uint32_t number = 0;

  friend auto operator<=>(const cluster_object_id&, const cluster_object_id&) = default;
};

}  // namespace evencube
