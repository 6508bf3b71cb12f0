#include "png_writer.hpp"

#include <png.h>

#include <csetjmp>
#include <new>
#include <stdexcept>

#include "png_failure.hpp"

namespace evencube::workloads {
namespace {

// Pictures of edges are mostly black: higher levels cost seconds and gain a few per cent.
constexpr int compression_level = 3;

void append_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  auto& out = *static_cast<std::vector<std::uint8_t>*>(png_get_io_ptr(png));
  bool stored = true;
  try {
    out.insert(out.end(), bytes, bytes + count);
  } catch (const std::bad_alloc&) {
    stored = false;  // libpng's C frames must not see an exception
  }
  if (!stored) {
    png_error(png, "out of memory");
  }
}

void nothing_to_flush(png_structp) {}

/// libpng behind functions that return false instead of jumping; see png_reader.
class png_writer {
 public:
  png_writer()
      : png_{png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure_, remember_and_jump,
                                     ignore_warning)},
        info_{png_ != nullptr ? png_create_info_struct(png_) : nullptr} {}
  png_writer(const png_writer&) = delete;
  png_writer& operator=(const png_writer&) = delete;
  ~png_writer() { png_destroy_write_struct(&png_, &info_); }

  [[nodiscard]] bool begin(std::vector<std::uint8_t>& out, std::uint32_t width,
                           std::uint32_t height, png_colour colour) noexcept {
    if (png_ == nullptr || info_ == nullptr) {
      std::snprintf(failure_.text.data(), failure_.text.size(), "libpng could not be started");
      return false;
    }
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    png_set_write_fn(png_, &out, append_bytes, nothing_to_flush);
    png_set_IHDR(png_, info_, width, height, 8,
                 colour == png_colour::grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png_, compression_level);
    png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_write_info(png_, info_);
    return true;
  }

  [[nodiscard]] bool write_row(const std::uint8_t* row) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    png_write_row(png_, row);
    return true;
  }

  [[nodiscard]] bool finish() noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    png_write_end(png_, info_);
    return true;
  }

  [[nodiscard]] const char* failure() const noexcept { return failure_.text.data(); }

 private:
  png_failure failure_;
  png_structp png_;
  png_infop info_;
};

}  // namespace

std::vector<std::uint8_t> encode_png(
    std::uint32_t width, std::uint32_t height, png_colour colour,
    const std::function<void(std::uint32_t, std::span<std::uint8_t>)>& fill_row) {
  std::vector<std::uint8_t> out;
  png_writer writer;
  const auto require = [&](bool good) {
    if (!good) {
      throw std::runtime_error{writer.failure()};
    }
  };
  require(writer.begin(out, width, height, colour));
  std::vector<std::uint8_t> row(std::size_t{width} * (colour == png_colour::grey ? 1 : 3));
  for (std::uint32_t y = 0; y < height; ++y) {
    fill_row(y, row);
    require(writer.write_row(row.data()));
  }
  require(writer.finish());
  return out;
}

std::vector<std::uint8_t> encode_png(std::uint32_t width, std::uint32_t height,
                                     std::span<const rgb8> pixels) {
  if (pixels.size() != std::size_t{width} * height) {
    throw std::invalid_argument{std::to_string(pixels.size()) + " colours for " +
                                std::to_string(width) + " x " + std::to_string(height) + " pixels"};
  }
  return encode_png(width, height, png_colour::rgb,
                    [&](std::uint32_t y, std::span<std::uint8_t> row) {
                      const auto colours = pixels.subspan(std::size_t{y} * width, width);
                      for (std::size_t x = 0; x < colours.size(); ++x) {
                        row[3 * x] = colours[x].red;
                        row[3 * x + 1] = colours[x].green;
                        row[3 * x + 2] = colours[x].blue;
                      }
                    });
}

}  // namespace evencube::workloads
