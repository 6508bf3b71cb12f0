#include <png.h>

#include <stdexcept>

#include "picture_formats.hpp"

namespace evencube::workloads {
namespace {

encoded_png encode(std::uint32_t width, std::uint32_t height, png_uint_32 format,
                   const void* pixels, std::size_t count) {
  if (count != std::size_t{width} * height) {
    throw std::invalid_argument{std::to_string(count) + " colours for " + std::to_string(width) +
                                " x " + std::to_string(height) + " pixels"};
  }
  png_image about = {};
  about.version = PNG_IMAGE_VERSION;
  about.width = width;
  about.height = height;
  about.format = format;
  // Pictures of edges are mostly black: higher levels cost seconds and gain a few per cent.
  about.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(about);
  auto memory = std::make_unique_for_overwrite<std::uint8_t[]>(size);
  if (png_image_write_to_memory(&about, memory.get(), &size, 0, pixels, 0, nullptr) == 0) {
    throw std::runtime_error{about.message};
  }
  return {std::move(memory), size};
}

}  // namespace

encoded_png encode_png(std::uint32_t width, std::uint32_t height,
                       std::span<const std::uint8_t> greys) {
  return encode(width, height, PNG_FORMAT_GRAY, greys.data(), greys.size());
}

encoded_png encode_png(std::uint32_t width, std::uint32_t height, std::span<const rgb8> colours) {
  static_assert(sizeof(rgb8) == 3);
  return encode(width, height, PNG_FORMAT_RGB, colours.data(), colours.size());
}

}  // namespace evencube::workloads
