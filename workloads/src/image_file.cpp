#include <algorithm>
#include <cstring>
#include <vector>

#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/output_file.hpp>

#include "picture_formats.hpp"

namespace evencube::workloads {
namespace {

/// Bytes of luminance that a picture is given for each byte of its file, and besides.
constexpr std::uint64_t trusted_per_byte = 8;
constexpr std::uint64_t trusted_bytes = std::uint64_t{64} << 20;

[[noreturn]] void refuse_kind(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (bytes.empty()) throw image_error{name + ": the file is empty"};
  std::string beginning;
  for (const auto byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
    beginning += byte >= ' ' && byte <= '~' ? static_cast<char>(byte) : '.';
  }
  throw image_error{name + ": not a PNG, PGM or PPM picture (the file begins with \"" + beginning +
                    "\")"};
}

grey16 decode(byte_stream& bytes, const std::string& name, std::uint64_t most_pixels) {
  constexpr std::size_t longest_mark = 8;
  const auto mark = bytes.look(longest_mark);
  if (is_png(mark)) return decode_png(bytes, most_pixels, name);
  if (is_pnm(mark)) return decode_pnm(bytes, most_pixels, name);
  refuse_kind(mark, name);
}

template <typename Pixel>
void encode_and_replace(const std::filesystem::path& file, std::uint32_t width,
                        std::uint32_t height, std::span<const Pixel> pixels) {
  encoded_png made;
  try {
    made = encode_png(width, height, pixels);
  } catch (const std::runtime_error& problem) {
    throw output_error{file.string() + ": cannot write: " + problem.what()};
  }
  replace_file(file, made.bytes());
}

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

grey16 decode_picture(std::span<const std::uint8_t> bytes, const std::string& name,
                      std::uint64_t most_pixels) {
  byte_stream stream{bytes};
  return decode(stream, name, most_pixels);
}

grey16 read_picture(const std::filesystem::path& file, std::uint64_t most_pixels) {
  const auto name = file.string();
  byte_stream stream{file, name};
  try {
    return decode(stream, name, most_pixels);
  } catch (const image_error&) {
    // To the readers, a failed read looks like the end of the file.
    if (stream.failure() != 0) {
      throw image_error{name + ": cannot read: " + std::strerror(stream.failure())};
    }
    throw;
  }
}

void write_png(const std::filesystem::path& file, const grey8& picture) {
  encode_and_replace(file, picture.width(), picture.height(), picture.samples());
}

void write_png(const std::filesystem::path& file, const grey8& picture,
               std::span<const std::uint8_t> paint, rgb8 ink) {
  const auto greys = picture.samples();
  if (paint.size() != greys.size()) {
    throw std::invalid_argument{"paint of " + std::to_string(paint.size()) +
                                " pixels on a picture of " + std::to_string(greys.size())};
  }
  std::vector<rgb8> colours;
  colours.reserve(greys.size());
  for (std::size_t at = 0; at < greys.size(); ++at) {
    const auto grey = greys[at];
    colours.push_back(paint[at] != 0 ? ink : rgb8{grey, grey, grey});
  }
  write_png(file, picture.width(), picture.height(), colours);
}

void write_png(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height,
               std::span<const rgb8> pixels) {
  encode_and_replace(file, width, height, pixels);
}

}  // namespace evencube::workloads
