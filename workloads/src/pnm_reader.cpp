#include <vector>

#include "picture_formats.hpp"

namespace evencube::workloads {
namespace {

/// No picture has more white space and comments in one place: what has is no picture, or endless.
constexpr std::size_t longest_gap = 65536;

bool is_space_byte(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/// Widens a sample of [0, maximum] to [0, 65535], to the nearest. Exact (x 257) for 8 bits.
constexpr std::uint16_t widen(std::uint32_t sample, std::uint32_t maximum) noexcept {
  return static_cast<std::uint16_t>((std::uint64_t{sample} * 65535 + maximum / 2) / maximum);
}

bool is_digit_byte(int byte) { return byte >= '0' && byte <= '9'; }

/// Walks over the text of the header (and, in the plain formats, of the samples): decimal numbers
/// between white space and comments, which run from '#' to the end of the line.
class number_reader {
 public:
  number_reader(byte_stream& bytes, const std::string& name) : bytes_{bytes}, name_{name} {}

  [[nodiscard]] std::uint32_t next(const char* what) {
    skip_space_and_comments(what);
    if (bytes_.peek() < 0) fail(std::string{"the file ends before "} + what);
    if (!is_digit_byte(bytes_.peek())) fail(std::string{what} + " is not a number");
    std::uint64_t value = 0;
    for (; is_digit_byte(bytes_.peek()); bytes_.skip()) {
      value = value * 10 + static_cast<std::uint64_t>(bytes_.peek() - '0');
      if (value > 0xffffffffU) fail(std::string{what} + " is too large");
    }
    if (const int after = bytes_.peek(); after >= 0 && !is_space_byte(after) && after != '#') {
      fail(std::string{what} + " is not a whole number");
    }
    return static_cast<std::uint32_t>(value);
  }

  /// Takes the single white space that ends the header.
  void begin_raster() {
    if (!is_space_byte(bytes_.peek())) fail("the file ends before the pixels");
    bytes_.skip();
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw image_error{name_ + ": damaged PGM or PPM: " + why};
  }

 private:
  void skip_space_and_comments(const char* what) {
    bool comment = false;
    for (std::size_t skipped = 0;; ++skipped, bytes_.skip()) {
      const int next = bytes_.peek();
      if (next < 0 || (!comment && next != '#' && !is_space_byte(next))) return;
      comment = comment ? next != '\n' : next == '#';
      if (skipped == longest_gap) {
        fail("more than " + std::to_string(longest_gap) +
             " bytes of white space and comments stand before " + what);
      }
    }
  }

  byte_stream& bytes_;
  const std::string& name_;
};

struct header {
  bool colour;
  bool plain;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t maximum;

  [[nodiscard]] std::uint64_t samples() const {
    return std::uint64_t{width} * height * (colour ? 3 : 1);
  }
  /// Bytes that the samples take at least: in the plain formats a digit and a space.
  [[nodiscard]] std::uint64_t least_bytes() const {
    return plain ? 2 * samples() - 1 : samples() * (maximum > 255 ? 2 : 1);
  }
};

header read_header(byte_stream& bytes, number_reader& numbers, const std::string& name) {
  bytes.skip();
  const int kind = bytes.peek();
  bytes.skip();
  header found{kind == '3' || kind == '6', kind == '2' || kind == '3', 0, 0, 0};
  found.width = numbers.next("the width");
  found.height = numbers.next("the height");
  require_size(found.width, found.height, name);
  found.maximum = numbers.next("the maximum value");
  if (found.maximum == 0 || found.maximum > 65535) {
    numbers.fail("the maximum value is " + std::to_string(found.maximum) + ", not 1 to 65535");
  }
  return found;
}

/// Reads the samples. Memory is taken row by row as they come: of a pipe nobody knows how many
/// follow.
template <typename NextSample>
grey16 read_rows(const header& about, bool all_are_there, NextSample next_sample) {
  std::vector<std::uint16_t> samples;
  if (all_are_there) samples.reserve(std::size_t{about.width} * about.height);
  for (std::uint32_t y = 0; y < about.height; ++y) {
    for (std::uint32_t x = 0; x < about.width; ++x) {
      const std::uint16_t first = next_sample();
      if (about.colour) {
        const std::uint16_t second = next_sample();
        const std::uint16_t third = next_sample();
        samples.push_back(luminance(first, second, third));
      } else {
        samples.push_back(first);
      }
    }
  }
  return {about.width, about.height, std::move(samples)};
}

}  // namespace

bool is_pnm(std::span<const std::uint8_t> bytes) noexcept {
  return bytes.size() >= 3 && bytes[0] == 'P' &&
         (bytes[1] == '2' || bytes[1] == '3' || bytes[1] == '5' || bytes[1] == '6') &&
         (is_space_byte(bytes[2]) || bytes[2] == '#');
}

grey16 decode_pnm(byte_stream& bytes, std::uint64_t most_pixels, const std::string& name) {
  number_reader numbers{bytes, name};
  const header about = read_header(bytes, numbers, name);
  // A header that promises more than the file can hold must not make us allocate it.
  if (bytes.size() && *bytes.size() < about.least_bytes()) {
    numbers.fail("the file ends before the last pixel");
  }
  require_trust(about.width, about.height, bytes.size(), most_pixels, name);
  const auto checked = [&](std::uint32_t sample) {
    if (sample > about.maximum) {
      numbers.fail("a sample of " + std::to_string(sample) + " is above the maximum value " +
                   std::to_string(about.maximum));
    }
    return widen(sample, about.maximum);
  };
  const bool all_are_there = bytes.size().has_value();
  if (about.plain) {
    return read_rows(about, all_are_there, [&] { return checked(numbers.next("the last pixel")); });
  }
  numbers.begin_raster();
  const auto next_byte = [&] {
    const int byte = bytes.peek();
    if (byte < 0) numbers.fail("the file ends before the last pixel");
    bytes.skip();
    return static_cast<std::uint32_t>(byte);
  };
  return read_rows(about, all_are_there, [&, wide = about.maximum > 255] {
    const std::uint32_t high = next_byte();
    return checked(wide ? high << 8 | next_byte() : high);
  });
}

}  // namespace evencube::workloads
