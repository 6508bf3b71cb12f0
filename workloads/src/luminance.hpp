#pragma once

#include <cstdint>

namespace evencube::workloads {

/// Widens a sample of [0, maximum] to [0, 65535], to the nearest. Exact (x 257) for 8 bits.
[[nodiscard]] constexpr std::uint16_t widen(std::uint32_t sample, std::uint32_t maximum) noexcept {
  return static_cast<std::uint16_t>((std::uint64_t{sample} * 65535 + maximum / 2) / maximum);
}

/// ITU-R BT.601 weights in 16-bit fixed point; they sum to 65536, so that grey stays as it is.
[[nodiscard]] constexpr std::uint16_t luminance(std::uint32_t red, std::uint32_t green,
                                                std::uint32_t blue) noexcept {
  return static_cast<std::uint16_t>((std::uint64_t{19595} * red + std::uint64_t{38470} * green +
                                     std::uint64_t{7471} * blue + 32768) >>
                                    16);
}

/// `grey` with opacity alpha / 65535, laid on white, to the nearest.
[[nodiscard]] constexpr std::uint16_t on_white(std::uint32_t grey, std::uint32_t alpha) noexcept {
  const auto sum =
      std::uint64_t{grey} * alpha + std::uint64_t{65535} * (std::uint64_t{65535} - alpha) + 32767;
  return static_cast<std::uint16_t>(sum / 65535);
}

}  // namespace evencube::workloads
