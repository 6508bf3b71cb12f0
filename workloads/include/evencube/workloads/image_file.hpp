#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <evencube/workloads/input_error.hpp>
#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// A picture that cannot be read. The message begins with the file's name and says why.
class image_error : public input_error {
 public:
  using input_error::input_error;
};

/// One 8-bit colour.
struct rgb8 {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;

  friend bool operator==(const rgb8&, const rgb8&) = default;
};

/// Reads a PNG (grey, grey + alpha, RGB, RGBA, palette; 1 to 16 bits; interlaced or not) or a PGM
/// or PPM (P2, P3, P5, P6; one picture; maximum value 1 to 65535). The kind is told by the first
/// bytes, never by the name.
///
/// Samples of fewer than 16 bits are widened so that white is 65535. Luminance is
/// (19595 R + 38470 G + 7471 B + 32768) / 65536, rounded down: the weights of ITU-R BT.601 in
/// 16-bit fixed point, which sum to one, so that grey stays as it is. Transparent pixels lie on
/// white. Gamma and colour profiles are not applied: the samples count as they stand in the file.
///
/// Takes two bytes of memory for each pixel and some hundred kilobytes, and nothing of it before
/// the file has shown that it can hold so many pixels. A picture of more than `most_pixels` is
/// refused unless its luminance takes no more than eight times the bytes of its file and 64 MiB:
/// small files can unfold to very large pictures. What stands behind the picture is not read.
///
/// Throws image_error for a file that is missing, of another kind, damaged, cut short, empty, or
/// larger than max_picture_side, max_picture_pixels and `most_pixels` allow.
[[nodiscard]] grey16 read_picture(const std::filesystem::path& file,
                                  std::uint64_t most_pixels = trusted_picture_pixels);

/// The same for a picture that already stands in memory; `name` is used in messages.
[[nodiscard]] grey16 decode_picture(std::span<const std::uint8_t> bytes, const std::string& name,
                                    std::uint64_t most_pixels = trusted_picture_pixels);

/// Writes an 8-bit grey PNG. The picture appears under its name only when it is complete: a failed
/// write throws output_error and leaves what stood there untouched.
void write_png(const std::filesystem::path& file, const grey8& picture);

/// The same in colour: grey pixels as in `picture`, except where `paint[y * width + x]` is not
/// zero, which take `ink`. `paint` has width x height entries.
void write_png(const std::filesystem::path& file, const grey8& picture,
               std::span<const std::uint8_t> paint, rgb8 ink);

/// The same of colours, row by row: width x height of them.
void write_png(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height,
               std::span<const rgb8> pixels);

}  // namespace evencube::workloads
