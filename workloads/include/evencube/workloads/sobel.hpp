#pragma once

#include <cstdint>

#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// Writes the Sobel magnitudes of one tile into the same rectangle of `edges`, which has the size
/// of `picture`. Writes nothing outside the rectangle, so threads may compute different tiles
/// simultaneously.
///
/// Gx = (-1 0 1; -2 0 2; -1 0 1) and its transpose Gy are 3 x 3 masks applied to 16-bit luminance.
/// A magnitude is min(255, floor(sqrt(Gx^2 + Gy^2) / 257)). For 8-bit pictures, this is exactly
/// min(255, floor(sqrt(gx^2 + gy^2))) of the 8-bit values. A pixel outside the picture has the
/// value of the nearest pixel inside. Every step is exact, so the result depends neither on the
/// order of the tiles nor on the compiler.
///
/// Returns the number of the tile's magnitudes that are >= threshold.
std::uint32_t sobel_tile(const grey16& picture, const pixel_rectangle& tile, std::uint8_t threshold,
                         grey8& edges);

}  // namespace evencube::workloads
