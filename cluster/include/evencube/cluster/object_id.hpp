#pragma once

#include <compare>
#include <cstdint>

namespace evencube {

/// The name of an object of a cluster, equal on all ranks for the object's whole life. Names can be
/// sent like other values.
struct cluster_object_id {
  /// The rank that made the object.
  std::uint32_t maker = 0;
  /// The number of the object among that rank's objects.
  std::uint32_t number = 0;

  friend auto operator<=>(const cluster_object_id&, const cluster_object_id&) = default;
};

}  // namespace evencube
