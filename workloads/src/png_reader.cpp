#include "png_reader.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <vector>

#include <evencube/workloads/image_file.hpp>

#include "luminance.hpp"
#include "png_failure.hpp"

namespace evencube::workloads {
namespace {

constexpr std::array<std::uint8_t, 8> signature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

struct byte_source {
  std::span<const std::uint8_t> rest;
};

void take_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto& source = *static_cast<byte_source*>(png_get_io_ptr(png));
  if (source.rest.size() < count) {
    png_error(png, "the file ends too early");
  }
  std::memcpy(out, source.rest.data(), count);
  source.rest = source.rest.subspan(count);
}

std::uint32_t big_endian(std::span<const std::uint8_t, 4> bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
         (std::uint32_t{bytes[2]} << 8) | std::uint32_t{bytes[3]};
}

/// libpng behind functions that return false instead of jumping. Each of them holds its own setjmp,
/// and nothing with a destructor stands between it and libpng.
class png_reader {
 public:
  explicit png_reader(std::span<const std::uint8_t> bytes)
      : source_{bytes},
        png_{png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure_, remember_and_jump,
                                    ignore_warning)},
        info_{png_ != nullptr ? png_create_info_struct(png_) : nullptr} {}
  png_reader(const png_reader&) = delete;
  png_reader& operator=(const png_reader&) = delete;
  ~png_reader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  /// Reads up to the pixels and asks for whole bytes or 16 bits per sample, alpha where there is
  /// any transparency, and no palette.
  [[nodiscard]] bool begin() noexcept {
    if (png_ == nullptr || info_ == nullptr) {
      std::snprintf(failure_.text.data(), failure_.text.size(), "libpng could not be started");
      return false;
    }
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    png_set_read_fn(png_, &source_, take_bytes);
    png_set_user_limits(png_, max_picture_side, max_picture_side);
    png_read_info(png_, info_);
    png_set_expand(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  /// One row of the current pass. In an interlaced picture the same row is passed again and again,
  /// and each pass fills in some of its pixels.
  [[nodiscard]] bool read_row(std::uint8_t* row) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    png_read_row(png_, row, nullptr);
    return true;
  }

  /// What follows the pixels, to the closing mark.
  [[nodiscard]] bool finish() noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    png_read_end(png_, nullptr);
    return true;
  }

  [[nodiscard]] std::uint32_t width() const noexcept { return png_get_image_width(png_, info_); }
  [[nodiscard]] std::uint32_t height() const noexcept { return png_get_image_height(png_, info_); }
  [[nodiscard]] std::size_t row_bytes() const noexcept { return png_get_rowbytes(png_, info_); }
  [[nodiscard]] unsigned channels() const noexcept { return png_get_channels(png_, info_); }
  [[nodiscard]] unsigned bits() const noexcept { return png_get_bit_depth(png_, info_); }
  [[nodiscard]] int passes() const noexcept { return passes_; }
  [[nodiscard]] const char* failure() const noexcept { return failure_.text.data(); }

 private:
  png_failure failure_;
  byte_source source_;
  png_structp png_;
  png_infop info_;
  int passes_ = 1;
};

template <unsigned Bits>
std::uint32_t sample_at(const std::uint8_t* row, std::size_t index) {
  if constexpr (Bits == 16) {
    return (std::uint32_t{row[2 * index]} << 8) | row[2 * index + 1];
  } else {
    return std::uint32_t{row[index]} * 257;
  }
}

template <unsigned Bits>
void row_to_luminance(const std::uint8_t* row, unsigned channels, std::span<std::uint16_t> out) {
  const bool colour = channels >= 3;
  const bool alpha = channels == 2 || channels == 4;
  for (std::size_t x = 0; x < out.size(); ++x) {
    const auto first = x * channels;
    std::uint32_t grey = sample_at<Bits>(row, first);
    if (colour) {
      grey = luminance(grey, sample_at<Bits>(row, first + 1), sample_at<Bits>(row, first + 2));
    }
    if (alpha) {
      grey = on_white(grey, sample_at<Bits>(row, first + channels - 1));
    }
    out[x] = static_cast<std::uint16_t>(grey);
  }
}

void to_luminance(const png_reader& reader, const std::uint8_t* row, std::span<std::uint16_t> out) {
  if (reader.bits() == 16) {
    row_to_luminance<16>(row, reader.channels(), out);
  } else {
    row_to_luminance<8>(row, reader.channels(), out);
  }
}

// libpng's own words for these ("Invalid IHDR data") do not tell which of them it was.
void check_size(std::span<const std::uint8_t> bytes, const std::string& name) {
  constexpr std::array<std::uint8_t, 4> header = {'I', 'H', 'D', 'R'};
  if (bytes.size() < 24) {
    throw image_error{name + ": damaged PNG: the file ends too early"};
  }
  if (!std::ranges::equal(bytes.subspan(12, 4), header)) {
    return;
  }
  const auto problem =
      picture_size_problem(big_endian(bytes.subspan<16, 4>()), big_endian(bytes.subspan<20, 4>()));
  if (!problem.empty()) {
    throw image_error{name + ": the picture " + problem};
  }
}

}  // namespace

bool is_png(std::span<const std::uint8_t> bytes) noexcept {
  return bytes.size() >= signature.size() &&
         std::ranges::equal(bytes.first(signature.size()), signature);
}

grey16 decode_png(std::span<const std::uint8_t> bytes, const std::string& name) {
  check_size(bytes, name);
  png_reader reader{bytes};
  const auto require = [&](bool good) {
    if (!good) {
      throw image_error{name + ": damaged PNG: " + reader.failure()};
    }
  };
  require(reader.begin());
  grey16 picture{reader.width(), reader.height()};
  if (reader.passes() == 1) {
    std::vector<std::uint8_t> row(reader.row_bytes());
    for (std::uint32_t y = 0; y < picture.height(); ++y) {
      require(reader.read_row(row.data()));
      to_luminance(reader, row.data(), picture.row(y));
    }
  } else {
    std::vector<std::uint8_t> rows(reader.row_bytes() * picture.height());
    for (int pass = 0; pass < reader.passes(); ++pass) {
      for (std::uint32_t y = 0; y < picture.height(); ++y) {
        require(reader.read_row(rows.data() + y * reader.row_bytes()));
      }
    }
    for (std::uint32_t y = 0; y < picture.height(); ++y) {
      to_luminance(reader, rows.data() + y * reader.row_bytes(), picture.row(y));
    }
  }
  require(reader.finish());
  return picture;
}

}  // namespace evencube::workloads
