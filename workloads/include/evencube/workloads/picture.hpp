#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace evencube::workloads {

/// The maximum side of a picture, in pixels. This limit keeps the line search's accumulator below
/// 70 MB.
inline constexpr std::uint32_t max_picture_side = 32768;

/// The maximum number of pixels in a picture (16384 x 16384): half a gigabyte of 16-bit luminance.
inline constexpr std::uint64_t max_picture_pixels = std::uint64_t{1} << 28;

/// Pictures of at most this many pixels may have files of any size: 128 MiB of luminance.
inline constexpr std::uint64_t trusted_picture_pixels = std::uint64_t{1} << 26;

/// Returns the reason why a picture of this size is refused, or an empty string if it is accepted.
[[nodiscard]] std::string picture_size_problem(std::uint64_t width, std::uint64_t height);

/// A rectangle of samples, stored row by row from the top left without padding.
template <typename Sample>
class plane {
 public:
  plane() = default;

  /// Makes a plane whose samples are zero. Throws std::invalid_argument unless both sides are
  /// within 1 .. max_picture_side and the area within max_picture_pixels.
  plane(std::uint32_t width, std::uint32_t height) : width_{width}, height_{height} {
    if (const auto problem = picture_size_problem(width, height); !problem.empty()) {
      throw std::invalid_argument{"picture " + problem};
    }
    samples_.resize(std::size_t{width} * height);
  }

  /// Makes a plane from width x height samples. Throws std::invalid_argument for sizes that the
  /// other constructor refuses, and for a wrong number of samples.
  plane(std::uint32_t width, std::uint32_t height, std::vector<Sample> samples)
      : width_{width}, height_{height}, samples_{std::move(samples)} {
    if (const auto problem = picture_size_problem(width, height); !problem.empty()) {
      throw std::invalid_argument{"picture " + problem};
    }
    if (samples_.size() != std::size_t{width} * height) {
      throw std::invalid_argument{std::to_string(samples_.size()) + " samples for " +
                                  std::to_string(width) + " x " + std::to_string(height) +
                                  " pixels"};
    }
  }

  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint32_t height() const noexcept { return height_; }

  /// Returns row `y` in [0, height): `width` samples.
  [[nodiscard]] std::span<Sample> row(std::uint32_t y) noexcept {
    return std::span{samples_}.subspan(std::size_t{y} * width_, width_);
  }
  [[nodiscard]] std::span<const Sample> row(std::uint32_t y) const noexcept {
    return std::span{samples_}.subspan(std::size_t{y} * width_, width_);
  }

  [[nodiscard]] std::span<Sample> samples() noexcept { return samples_; }
  [[nodiscard]] std::span<const Sample> samples() const noexcept { return samples_; }

  friend bool operator==(const plane&, const plane&) = default;

 private:
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::vector<Sample> samples_;
};

/// Luminance, 0 (black) to 65535 (white). Every picture is converted to this type when it is read.
using grey16 = plane<std::uint16_t>;

/// 8-bit grey, 0 to 255.
using grey8 = plane<std::uint8_t>;

/// Pixels [left, right) x [top, bottom) of a picture.
struct pixel_rectangle {
  std::uint32_t left;
  std::uint32_t top;
  std::uint32_t right;
  std::uint32_t bottom;

  friend bool operator==(const pixel_rectangle&, const pixel_rectangle&) = default;
};

/// Cuts width x height pixels into squares with sides of `side` >= 1, row by row from the top left;
/// squares in the last column and row end at the edge of the picture.
[[nodiscard]] std::vector<pixel_rectangle> cut_into_tiles(std::uint32_t width, std::uint32_t height,
                                                          std::uint32_t side);

}  // namespace evencube::workloads
