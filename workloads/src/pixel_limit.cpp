#include "pixel_limit.hpp"

#include <evencube/workloads/image_file.hpp>

namespace evencube::workloads {
namespace {

/// Bytes of luminance that a picture is given for each byte of its file, and besides.
constexpr std::uint64_t trusted_per_byte = 8;
constexpr std::uint64_t trusted_bytes = std::uint64_t{64} << 20;

}  // namespace

void require_size(std::uint64_t width, std::uint64_t height, const std::string& name) {
  if (const auto problem = picture_size_problem(width, height); !problem.empty()) {
    throw image_error{name + ": the picture " + problem};
  }
}

void require_trust(std::uint64_t width, std::uint64_t height,
                   std::optional<std::uint64_t> file_bytes, std::uint64_t most_pixels,
                   const std::string& name) {
  const auto pixels = width * height;
  const bool held =
      pixels * sizeof(std::uint16_t) <= trusted_per_byte * file_bytes.value_or(0) + trusted_bytes;
  if (pixels > most_pixels && !held) {
    throw image_error{name + ": the picture is " + std::to_string(width) + " x " +
                      std::to_string(height) + " = " + std::to_string(pixels) +
                      " pixels, for which the file is very small: at most " +
                      std::to_string(most_pixels) + " are allowed then (--max-pixels)"};
  }
}

}  // namespace evencube::workloads
