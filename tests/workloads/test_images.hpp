#pragma once

#include <png.h>

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace evencube::workloads::testing {

using bytes = std::vector<std::uint8_t>;

/// A PNG to be made with libpng itself: `rows` hold packed samples as they stand in the file
/// (16-bit ones with the high byte first).
struct png_recipe {
  std::uint32_t width;
  std::uint32_t height;
  int bits;
  int colour;
  std::vector<bytes> rows;
  bool interlaced = false;
  std::vector<png_color> palette = {};
  bytes palette_alpha = {};
  int transparent_grey = -1;
};

inline bytes make_png(const png_recipe& recipe) {
  bytes out;
  png_structp png = png_create_write_struct(
      PNG_LIBPNG_VER_STRING, nullptr,
      [](png_structp, png_const_charp text) { throw std::runtime_error{text}; },
      [](png_structp, png_const_charp) {});
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp writer, png_bytep data, std::size_t count) {
        auto& target = *static_cast<bytes*>(png_get_io_ptr(writer));
        target.insert(target.end(), data, data + count);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, recipe.width, recipe.height, recipe.bits, recipe.colour,
               recipe.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!recipe.palette.empty()) {
    png_set_PLTE(png, info, recipe.palette.data(), static_cast<int>(recipe.palette.size()));
  }
  if (!recipe.palette_alpha.empty()) {
    png_set_tRNS(png, info, recipe.palette_alpha.data(),
                 static_cast<int>(recipe.palette_alpha.size()), nullptr);
  }
  if (recipe.transparent_grey >= 0) {
    png_color_16 key = {};
    key.gray = static_cast<png_uint_16>(recipe.transparent_grey);
    png_set_tRNS(png, info, nullptr, 0, &key);
  }
  png_write_info(png, info);
  const int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; ++pass) {
    for (const auto& row : recipe.rows) {
      png_write_row(png, row.data());
    }
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

inline bytes text_bytes(const std::string& text) { return {text.begin(), text.end()}; }

inline void put_file(const std::filesystem::path& path, const bytes& content) {
  std::ofstream file{path, std::ios::binary};
  for (const auto byte : content) {
    file.put(static_cast<char>(byte));
  }
}

inline bytes file_bytes(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) {
    throw std::runtime_error{"cannot open " + path.string()};
  }
  bytes content;
  for (int byte = file.get(); byte != std::ifstream::traits_type::eof(); byte = file.get()) {
    content.push_back(static_cast<std::uint8_t>(byte));
  }
  return content;
}

/// A folder that is removed at the end of the test.
class scratch_folder {
 public:
  scratch_folder() {
    auto name = (std::filesystem::temp_directory_path() / "evencube-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error{"cannot make " + name};
    }
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

  /// Names of everything in the folder, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator{path_}) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace evencube::workloads::testing
