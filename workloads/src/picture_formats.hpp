#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <evencube/workloads/image_file.hpp>

#include "byte_stream.hpp"

namespace evencube::workloads {

// The formats that image_file.cpp chooses from, and the functions that their readers share.

/// Whether the bytes begin as a PNG file does.
[[nodiscard]] bool is_png(std::span<const std::uint8_t> bytes) noexcept;

/// Decodes a PNG; throws image_error beginning with `name`. Bytes after the picture are not read.
[[nodiscard]] grey16 decode_png(byte_stream& bytes, std::uint64_t most_pixels,
                                const std::string& name);

/// Whether the bytes begin as a PGM or PPM file does (P2, P3, P5 or P6 and white space).
[[nodiscard]] bool is_pnm(std::span<const std::uint8_t> bytes) noexcept;

/// Decodes the first picture of a PGM or PPM; throws image_error beginning with `name`. Bytes after
/// the picture are not read.
[[nodiscard]] grey16 decode_pnm(byte_stream& bytes, std::uint64_t most_pixels,
                                const std::string& name);

/// A PNG in memory.
struct encoded_png {
  std::unique_ptr<std::uint8_t[]> memory;
  std::size_t size;

  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept {
    return {memory.get(), size};
  }
};

/// Encodes an 8-bit PNG of width x height greys or colours, row by row. Throws std::runtime_error
/// if libpng fails, and std::invalid_argument for any other number of pixels.
[[nodiscard]] encoded_png encode_png(std::uint32_t width, std::uint32_t height,
                                     std::span<const std::uint8_t> greys);
[[nodiscard]] encoded_png encode_png(std::uint32_t width, std::uint32_t height,
                                     std::span<const rgb8> colours);

/// Throws image_error for a picture whose size no workload supports.
void require_size(std::uint64_t width, std::uint64_t height, const std::string& name);

/// Throws image_error for a picture of more than `most_pixels` if its file is very small for them.
/// `file_bytes` is the size of the file; none: unknown.
void require_trust(std::uint64_t width, std::uint64_t height,
                   std::optional<std::uint64_t> file_bytes, std::uint64_t most_pixels,
                   const std::string& name);

/// ITU-R BT.601 weights in 16-bit fixed point; they sum to 65536, so that grey stays as it is.
[[nodiscard]] constexpr std::uint16_t luminance(std::uint32_t red, std::uint32_t green,
                                                std::uint32_t blue) noexcept {
  return static_cast<std::uint16_t>((std::uint64_t{19595} * red + std::uint64_t{38470} * green +
                                     std::uint64_t{7471} * blue + 32768) >>
                                    16);
}

}  // namespace evencube::workloads
