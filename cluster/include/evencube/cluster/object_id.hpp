#pragma once

#include <compare>
#include <cstdint>

namespace evencube {

/// A cluster object's name, the same on all ranks for the object's whole life. Names can be sent
/// like other values.
struct cluster_object_id {
  /// The rank that made the object.
  std::uint32_t maker = 0;
  /// The object's number among those that this rank made.
  std::uint32_t number = 0;

  friend auto operator<=>(const cluster_object_id&, const cluster_object_id&) = default;
};

}  // namespace evencube
