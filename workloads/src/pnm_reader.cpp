#include "pnm_reader.hpp"

#include <optional>

#include <evencube/workloads/image_file.hpp>

#include "luminance.hpp"

namespace evencube::workloads {
namespace {

bool is_space(std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

bool is_digit(std::uint8_t byte) { return byte >= '0' && byte <= '9'; }

/// Walks over the text of the header (and, in the plain formats, of the samples): decimal numbers
/// between white space and comments, which run from '#' to the end of the line.
class number_reader {
 public:
  number_reader(std::span<const std::uint8_t> bytes, const std::string& name)
      : bytes_{bytes}, name_{name} {}

  [[nodiscard]] std::uint32_t next(const char* what) {
    skip_space_and_comments();
    if (position_ == bytes_.size()) {
      fail(std::string{"the file ends before "} + what);
    }
    if (!is_digit(bytes_[position_])) {
      fail(std::string{what} + " is not a number");
    }
    std::uint64_t value = 0;
    for (; position_ < bytes_.size() && is_digit(bytes_[position_]); ++position_) {
      value = value * 10 + (bytes_[position_] - std::uint64_t{'0'});
      if (value > 0xffffffffU) {
        fail(std::string{what} + " is too large");
      }
    }
    return static_cast<std::uint32_t>(value);
  }

  /// The bytes after the single white space that ends the header.
  [[nodiscard]] std::span<const std::uint8_t> raster() {
    if (position_ == bytes_.size() || !is_space(bytes_[position_])) {
      fail("the file ends before the pixels");
    }
    return bytes_.subspan(position_ + 1);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw image_error{name_ + ": damaged PGM or PPM: " + why};
  }

 private:
  void skip_space_and_comments() {
    while (position_ < bytes_.size() && (is_space(bytes_[position_]) || bytes_[position_] == '#')) {
      if (bytes_[position_] == '#') {
        while (position_ < bytes_.size() && bytes_[position_] != '\n') {
          ++position_;
        }
      } else {
        ++position_;
      }
    }
  }

  std::span<const std::uint8_t> bytes_;
  const std::string& name_;
  std::size_t position_ = 2;  // behind the two letters that tell the kind
};

template <typename NextSample>
void fill(grey16& picture, bool colour, NextSample next_sample) {
  for (std::uint32_t y = 0; y < picture.height(); ++y) {
    for (auto& grey : picture.row(y)) {
      const std::uint16_t first = next_sample();
      if (colour) {
        const std::uint16_t second = next_sample();
        const std::uint16_t third = next_sample();
        grey = luminance(first, second, third);
      } else {
        grey = first;
      }
    }
  }
}

}  // namespace

bool is_pnm(std::span<const std::uint8_t> bytes) noexcept {
  return bytes.size() >= 3 && bytes[0] == 'P' &&
         (bytes[1] == '2' || bytes[1] == '3' || bytes[1] == '5' || bytes[1] == '6') &&
         (is_space(bytes[2]) || bytes[2] == '#');
}

grey16 decode_pnm(std::span<const std::uint8_t> bytes, const std::string& name) {
  number_reader header{bytes, name};
  const bool colour = bytes[1] == '3' || bytes[1] == '6';
  const bool plain = bytes[1] == '2' || bytes[1] == '3';
  const auto width = header.next("the width");
  const auto height = header.next("the height");
  if (const auto problem = picture_size_problem(width, height); !problem.empty()) {
    throw image_error{name + ": the picture " + problem};
  }
  const auto maximum = header.next("the maximum value");
  if (maximum == 0 || maximum > 65535) {
    header.fail("the maximum value is " + std::to_string(maximum) + ", not 1 to 65535");
  }
  const auto checked = [&](std::uint32_t sample) {
    if (sample > maximum) {
      header.fail("a sample of " + std::to_string(sample) + " is above the maximum value " +
                  std::to_string(maximum));
    }
    return widen(sample, maximum);
  };
  if (plain) {
    // The smallest plain raster has a digit and a space per sample: a header that promises more
    // than the file can hold must not make us allocate it.
    const auto samples = std::uint64_t{width} * height * (colour ? 3 : 1);
    if (bytes.size() < 2 * samples - 1) {
      header.fail("the file ends before the last pixel");
    }
    grey16 picture{width, height};
    fill(picture, colour, [&] { return checked(header.next("the last pixel")); });
    return picture;
  }
  auto raster = header.raster();
  const std::size_t sample_bytes = maximum > 255 ? 2 : 1;
  if (raster.size() < std::size_t{width} * height * (colour ? 3 : 1) * sample_bytes) {
    header.fail("the file ends before the last pixel");
  }
  grey16 picture{width, height};
  fill(picture, colour, [&, position = std::size_t{0}]() mutable {
    std::uint32_t sample = raster[position++];
    if (sample_bytes == 2) {
      sample = (sample << 8) | raster[position++];
    }
    return checked(sample);
  });
  return picture;
}

}  // namespace evencube::workloads
