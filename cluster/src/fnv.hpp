#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace evencube::detail {

/// Returns a hash of bytes: FNV-1a. Another `start` gives another hash.
[[nodiscard]] inline std::uint64_t fnv_1a(std::span<const std::byte> bytes,
                                          std::uint64_t start = 0xcbf29ce484222325U) noexcept {
  std::uint64_t hash = start;
  for (const std::byte one : bytes) {
    hash = (hash ^ std::to_integer<std::uint64_t>(one)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace evencube::detail
