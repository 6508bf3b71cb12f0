#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

#include "picture_formats.hpp"

namespace evencube::workloads {
namespace {

// The simplified interface of libpng, which png_writer.cpp uses, cannot read pictures bit for bit:
// it converts 16-bit samples to linear light by the file's gamma, whereas here they count as
// written in the file. It also cannot read row by row or skip chunks, and both bound the memory
// that a hostile file takes.

/// The text of libpng's error. libpng reports errors by longjmp, which must not jump over C++
/// objects with a destructor. So the text is kept here, in plain memory that outlives the jump.
struct png_failure {
  std::array<char, 200> text = {};
};

/// libpng's error callback: remembers the text and jumps back to the caller's setjmp.
[[noreturn]] void remember_and_jump(png_structp png, png_const_charp text) {
  auto& failure = *static_cast<png_failure*>(png_get_error_ptr(png));
  std::snprintf(failure.text.data(), failure.text.size(), "%s", text);
  png_longjmp(png, 1);
}

/// libpng's warning callback. Warnings concern chunks that this library does not use.
void ignore_warning(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep out, std::size_t count) {
  if (!static_cast<byte_stream*>(png_get_io_ptr(png))->take({out, count})) {
    png_error(png, "the file ends too early");
  }
}

std::uint32_t big_endian(std::span<const std::uint8_t, 4> bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
         (std::uint32_t{bytes[2]} << 8) | std::uint32_t{bytes[3]};
}

/// `grey` with opacity alpha / 65535, laid on white, rounded to nearest.
constexpr std::uint16_t on_white(std::uint32_t grey, std::uint32_t alpha) noexcept {
  const auto sum =
      std::uint64_t{grey} * alpha + std::uint64_t{65535} * (std::uint64_t{65535} - alpha) + 32767;
  return static_cast<std::uint16_t>(sum / 65535);
}

/// libpng behind functions that return false instead of jumping.
class png_reader {
 public:
  explicit png_reader(byte_stream& bytes)
      : bytes_{bytes},
        png_{png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure_, remember_and_jump,
                                    ignore_warning)},
        info_{png_ != nullptr ? png_create_info_struct(png_) : nullptr} {}
  png_reader(const png_reader&) = delete;
  png_reader& operator=(const png_reader&) = delete;
  ~png_reader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  /// Reads up to the pixels. Asks libpng for whole bytes or 16 bits per sample, for alpha if there
  /// is any transparency, and for no palette.
  [[nodiscard]] bool begin() noexcept {
    if (png_ == nullptr || info_ == nullptr) {
      std::snprintf(failure_.text.data(), failure_.text.size(), "libpng could not be started");
      return false;
    }
    return went_through([this] {
      png_set_read_fn(png_, &bytes_, take_bytes);
      png_set_user_limits(png_, max_picture_side, max_picture_side);
      // Skips all chunks that the pixels do not need: texts and profiles can unfold to megabytes.
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
      png_read_info(png_, info_);
      packed_bits_ = png_get_bit_depth(png_, info_) * png_get_channels(png_, info_);
      png_set_expand(png_);
      png_read_update_info(png_, info_);
    });
  }

  /// Reads the next row; in an interlaced picture, of the current pass, whose rows hold only its
  /// pixels.
  [[nodiscard]] bool read_row(std::uint8_t* row) noexcept {
    return went_through([this, row] { png_read_row(png_, row, nullptr); });
  }

  /// Reads from the end of the pixels to the closing mark.
  [[nodiscard]] bool finish() noexcept {
    return went_through([this] { png_read_end(png_, nullptr); });
  }

  [[nodiscard]] std::uint32_t width() const noexcept { return png_get_image_width(png_, info_); }
  [[nodiscard]] std::uint32_t height() const noexcept { return png_get_image_height(png_, info_); }
  [[nodiscard]] std::size_t row_bytes() const noexcept { return png_get_rowbytes(png_, info_); }
  [[nodiscard]] unsigned channels() const noexcept { return png_get_channels(png_, info_); }
  [[nodiscard]] unsigned bits() const noexcept { return png_get_bit_depth(png_, info_); }
  /// The bits of a pixel in the file.
  [[nodiscard]] unsigned packed_bits() const noexcept { return packed_bits_; }
  [[nodiscard]] bool interlaced() const noexcept {
    return png_get_interlace_type(png_, info_) == PNG_INTERLACE_ADAM7;
  }
  [[nodiscard]] const char* failure() const noexcept { return failure_.text.data(); }

 private:
  /// Calls `work`, which must hold no object with a destructor: libpng jumps out of it.
  template <typename Work>
  bool went_through(const Work& work) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    work();
    return true;
  }

  png_failure failure_;
  byte_stream& bytes_;
  png_structp png_;
  png_infop info_;
  unsigned packed_bits_ = 0;
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
    if (alpha) grey = on_white(grey, sample_at<Bits>(row, first + channels - 1));
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

// Checks the size here, because libpng's messages ("Invalid IHDR data") do not say which size is
// wrong.
void check_size(byte_stream& bytes, const std::string& name) {
  constexpr std::array<std::uint8_t, 4> header = {'I', 'H', 'D', 'R'};
  const auto begin = bytes.look(24);
  if (begin.size() < 24) throw image_error{name + ": damaged PNG: the file ends too early"};
  if (std::ranges::equal(begin.subspan(12, 4), header)) {
    require_size(big_endian(begin.subspan<16, 4>()), big_endian(begin.subspan<20, 4>()), name);
  }
}

/// Whether a file of `file_bytes` bytes can unfold to the picture: deflate makes at most 1032 bytes
/// of one byte.
bool can_hold(std::uint64_t file_bytes, const png_reader& reader) {
  constexpr std::uint64_t most_unfolding = 1032;
  const auto pixels = std::uint64_t{reader.width()} * reader.height();
  return pixels * reader.packed_bits() / 8 <= file_bytes * most_unfolding;
}

/// Reads the seven passes of an interlaced picture and puts each pixel in its place.
template <typename ReadRow>
void read_passes(const png_reader& reader, grey16& picture, ReadRow read_row) {
  std::vector<std::uint16_t> grey(picture.width());
  // libpng's macros count with int; no side is longer than max_picture_side.
  const auto width = static_cast<int>(picture.width());
  const auto height = static_cast<int>(picture.height());
  for (int pass = 0; pass < 7; ++pass) {
    const int columns = PNG_PASS_COLS(width, pass);
    const int rows = columns == 0 ? 0 : PNG_PASS_ROWS(height, pass);
    for (int y = 0; y < rows; ++y) {
      to_luminance(reader, read_row(), std::span{grey}.first(static_cast<std::size_t>(columns)));
      const auto out = picture.row(static_cast<std::uint32_t>(PNG_ROW_FROM_PASS_ROW(y, pass)));
      for (int x = 0; x < columns; ++x) {
        out[static_cast<std::size_t>(PNG_COL_FROM_PASS_COL(x, pass))] =
            grey[static_cast<std::size_t>(x)];
      }
    }
  }
}

}  // namespace

bool is_png(std::span<const std::uint8_t> bytes) noexcept {
  return bytes.size() >= 8 && png_sig_cmp(bytes.data(), 0, 8) == 0;
}

grey16 decode_png(byte_stream& bytes, std::uint64_t most_pixels, const std::string& name) {
  check_size(bytes, name);
  png_reader reader{bytes};
  const auto require = [&](bool good) {
    if (!good) throw image_error{name + ": damaged PNG: " + reader.failure()};
  };
  require(reader.begin());
  if (bytes.size() && !can_hold(*bytes.size(), reader)) {
    throw image_error{name + ": damaged PNG: the file ends too early"};
  }
  require_trust(reader.width(), reader.height(), bytes.size(), most_pixels, name);
  grey16 picture{reader.width(), reader.height()};
  std::vector<std::uint8_t> row(reader.row_bytes());
  const auto read_row = [&] {
    require(reader.read_row(row.data()));
    return row.data();
  };
  if (reader.interlaced()) {
    read_passes(reader, picture, read_row);
  } else {
    for (std::uint32_t y = 0; y < picture.height(); ++y) {
      to_luminance(reader, read_row(), picture.row(y));
    }
  }
  require(reader.finish());
  return picture;
}

}  // namespace evencube::workloads
