#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/output_file.hpp>

#include "byte_stream.hpp"
#include "png_reader.hpp"
#include "png_writer.hpp"
#include "pnm_reader.hpp"

namespace evencube::workloads {
namespace {

[[noreturn]] void refuse_kind(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (bytes.empty()) {
    throw image_error{name + ": the file is empty"};
  }
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
  if (is_png(mark)) {
    return decode_png(bytes, most_pixels, name);
  }
  if (is_pnm(mark)) {
    return decode_pnm(bytes, most_pixels, name);
  }
  refuse_kind(mark, name);
}

void encode_and_replace(
    const std::filesystem::path& file, std::uint32_t width, std::uint32_t height, png_colour colour,
    const std::function<void(std::uint32_t, std::span<std::uint8_t>)>& fill_row) {
  std::vector<std::uint8_t> bytes;
  try {
    bytes = encode_png(width, height, colour, fill_row);
  } catch (const std::runtime_error& problem) {
    throw output_error{file.string() + ": cannot write: " + problem.what()};
  }
  replace_file(file, bytes);
}

}  // namespace

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
  encode_and_replace(file, picture.width(), picture.height(), png_colour::grey,
                     [&](std::uint32_t y, std::span<std::uint8_t> row) {
                       std::ranges::copy(picture.row(y), row.begin());
                     });
}

void write_png(const std::filesystem::path& file, const grey8& picture,
               std::span<const std::uint8_t> paint, rgb8 ink) {
  if (paint.size() != picture.samples().size()) {
    throw std::invalid_argument{"paint of " + std::to_string(paint.size()) +
                                " pixels on a picture of " +
                                std::to_string(picture.samples().size())};
  }
  encode_and_replace(file, picture.width(), picture.height(), png_colour::rgb,
                     [&](std::uint32_t y, std::span<std::uint8_t> row) {
                       const auto painted = paint.subspan(std::size_t{y} * picture.width());
                       const auto grey = picture.row(y);
                       for (std::size_t x = 0; x < grey.size(); ++x) {
                         const bool ink_here = painted[x] != 0;
                         row[3 * x] = ink_here ? ink.red : grey[x];
                         row[3 * x + 1] = ink_here ? ink.green : grey[x];
                         row[3 * x + 2] = ink_here ? ink.blue : grey[x];
                       }
                     });
}

void write_png(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height,
               std::span<const rgb8> pixels) {
  std::vector<std::uint8_t> bytes;
  try {
    bytes = encode_png(width, height, pixels);
  } catch (const std::runtime_error& problem) {
    throw output_error{file.string() + ": cannot write: " + problem.what()};
  }
  replace_file(file, bytes);
}

}  // namespace evencube::workloads
