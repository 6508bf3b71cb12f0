#pragma once

#include <cstdint>

#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// Writes the Sobel magnitude of one tile into the same rectangle of `edges`, which has the size of
/// `picture`; touches nothing outside it, so different tiles may be worked on at the same time.
///
/// With the 3 x 3 masks Gx = (-1 0 1; -2 0 2; -1 0 1) and Gy, its transpose, on 16-bit luminance, a
/// pixel is min(255, floor(sqrt(Gx^2 + Gy^2) / 257)): for 8-bit pictures, exactly
/// min(255, floor(sqrt(gx^2 + gy^2))) of the 8-bit values. Outside the picture the nearest pixel
/// inside it counts. Every step is exact, so the result depends neither on the order of the tiles
/// nor on the compiler.
///
/// Returns how many of the tile's magnitudes are >= threshold.
std::uint32_t sobel_tile(const grey16& picture, const pixel_rectangle& tile, std::uint8_t threshold,
                         grey8& edges);

}  // namespace evencube::workloads
