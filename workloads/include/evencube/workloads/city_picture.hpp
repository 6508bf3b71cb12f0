#pragma once

#include <cstdint>

#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// The seed of the generated picture if the user gives none.
inline constexpr std::uint64_t default_city_seed = 1;

/// Makes a picture whose edges are distributed as unevenly as in a photograph. The picture shows a
/// smooth evening sky and, in the lower right quarter, a dense city of towers with lit windows
/// behind cables. The picture is computed from `seed` in integer arithmetic, so it is identical on
/// every machine.
[[nodiscard]] grey16 make_city_picture(std::uint32_t width, std::uint32_t height,
                                       std::uint64_t seed);

}  // namespace evencube::workloads
