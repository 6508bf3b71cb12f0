#pragma once

#include <cstdint>

#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// The seed of the generated picture if the user gives no seed.
inline constexpr std::uint64_t default_city_seed = 1;

/// Makes a picture whose edges are spread as unevenly as in a photograph. It shows a smooth evening
/// sky and, in the lower right quarter, a dense city of towers with lit windows behind cables. It
/// is drawn in integers from `seed` alone, so it is the same on every machine, bit for bit.
[[nodiscard]] grey16 make_city_picture(std::uint32_t width, std::uint32_t height,
                                       std::uint64_t seed);

}  // namespace evencube::workloads
