#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <evencube/workloads/input_error.hpp>
#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// Thrown if a picture cannot be read. The message begins with the file's name and gives the
/// reason.
class image_error : public input_error {
 public:
  using input_error::input_error;
};

/// A colour with 8 bits per channel.
struct rgb8 {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;

  friend bool operator==(const rgb8&, const rgb8&) = default;
};

/// Reads a PNG (grey, grey + alpha, RGB, RGBA, palette; 1 to 16 bits; interlaced or not) or a PGM
/// or PPM (P2, P3, P5, P6; one picture; maximum value 1 to 65535). The format is determined by the
/// file's first bytes, never by its name.
///
/// Samples of fewer than 16 bits are scaled so that white is 65535. Luminance is (19595 R + 38470 G
/// + 7471 B + 32768) / 65536, rounded down: the weights of ITU-R BT.601 in 16-bit fixed point. The
/// weights sum to one, so grey is unchanged. Transparent pixels are composited over white. Gamma
/// and colour profiles are ignored.
///
/// Uses two bytes of memory per pixel plus a few hundred kilobytes. Memory for pixels is allocated
/// only once the file is known to be large enough to contain them. Because small files can
/// decompress to very large pictures, a picture of more than `most_pixels` pixels is refused unless
/// its luminance takes at most 64 MiB plus eight times the file's size. Bytes after the picture are
/// not read.
///
/// Throws image_error for a file that is missing, of another format, damaged, truncated or empty,
/// and for a picture larger than max_picture_side, max_picture_pixels or `most_pixels` allows.
[[nodiscard]] grey16 read_picture(const std::filesystem::path& file,
                                  std::uint64_t most_pixels = trusted_picture_pixels);

/// Decodes a picture in memory, like read_picture(); `name` is its name in messages.
[[nodiscard]] grey16 decode_picture(std::span<const std::uint8_t> bytes, const std::string& name,
                                    std::uint64_t most_pixels = trusted_picture_pixels);

/// Writes an 8-bit grey PNG. The file appears under its name only when it is complete: if writing
/// fails, throws output_error and leaves any existing file unchanged.
void write_png(const std::filesystem::path& file, const grey8& picture);

/// Writes `picture` as a colour PNG, like the grey write_png(). Pixels where `paint[y * width + x]`
/// is not zero get the colour `ink`. `paint` has width x height entries.
void write_png(const std::filesystem::path& file, const grey8& picture,
               std::span<const std::uint8_t> paint, rgb8 ink);

/// Writes width x height colours, stored row by row, as a PNG, like the grey write_png().
void write_png(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height,
               std::span<const rgb8> pixels);

}  // namespace evencube::workloads
