#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/output_file.hpp>

#include "png_reader.hpp"
#include "png_writer.hpp"
#include "pnm_reader.hpp"

namespace evencube::workloads {
namespace {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

bool is_known_kind(std::span<const std::uint8_t> bytes) { return is_png(bytes) || is_pnm(bytes); }

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

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path, const std::string& name) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    throw image_error{name + ": cannot read: " + std::strerror(errno)};
  }
  if (S_ISDIR(status.st_mode)) {
    throw image_error{name + ": cannot read: it is a folder"};
  }
  const file_handle file{std::fopen(path.c_str(), "rb")};
  if (file == nullptr) {
    throw image_error{name + ": cannot read: " + std::strerror(errno)};
  }
  // The kind is looked at after the first piece, so that no endless or huge file of another kind is
  // read to its end.
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 65536> piece;
  std::size_t count = 0;
  while ((count = std::fread(piece.data(), 1, piece.size(), file.get())) != 0) {
    const bool first = bytes.empty();
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    if (first && !is_known_kind(bytes)) {
      break;
    }
  }
  if (std::ferror(file.get()) != 0) {
    throw image_error{name + ": cannot read: " + std::strerror(errno)};
  }
  return bytes;
}

void encode_and_replace(
    const std::filesystem::path& file, const grey8& picture, png_colour colour,
    const std::function<void(std::uint32_t, std::span<std::uint8_t>)>& fill_row) {
  std::vector<std::uint8_t> bytes;
  try {
    bytes = encode_png(picture.width(), picture.height(), colour, fill_row);
  } catch (const std::runtime_error& problem) {
    throw output_error{file.string() + ": cannot write: " + problem.what()};
  }
  replace_file(file, bytes);
}

}  // namespace

grey16 decode_picture(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (is_png(bytes)) {
    return decode_png(bytes, name);
  }
  if (is_pnm(bytes)) {
    return decode_pnm(bytes, name);
  }
  refuse_kind(bytes, name);
}

grey16 read_picture(const std::filesystem::path& file) {
  const auto name = file.string();
  return decode_picture(read_bytes(file, name), name);
}

void write_png(const std::filesystem::path& file, const grey8& picture) {
  encode_and_replace(file, picture, png_colour::grey,
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
  encode_and_replace(file, picture, png_colour::rgb,
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

}  // namespace evencube::workloads
