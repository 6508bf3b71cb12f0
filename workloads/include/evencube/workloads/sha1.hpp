#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace evencube::workloads {

/// The five words of a digest, in the order of FIPS 180-4: the most significant byte of the first
/// word comes first.
using sha1_digest = std::array<std::uint32_t, 5>;

/// One block of a padded message, in words.
using sha1_block = std::array<std::uint32_t, 16>;

/// Round T of SHA-1 (FIPS 180-4, section 6.1.2) on the working variables a to e. In round 0, a is
/// v[0]. Later rounds rename the variables instead of moving them.
template <std::size_t T>
inline void sha1_round(sha1_digest& v, sha1_block& w) {
  const std::uint32_t a = v[(80 - T) % 5], c = v[(82 - T) % 5], d = v[(83 - T) % 5];
  std::uint32_t& b = v[(81 - T) % 5];
  std::uint32_t& e = v[(84 - T) % 5];
  if constexpr (T >= 16) {
    // Section 6.1.3: only the last 16 words of the schedule are kept.
    w[T % 16] = std::rotl(w[(T - 3) % 16] ^ w[(T - 8) % 16] ^ w[(T - 14) % 16] ^ w[T % 16], 1);
  }
  std::uint32_t mixed = 0;
  if constexpr (T < 20) {
    mixed = ((b & c) ^ (~b & d)) + 0x5a827999U;
  } else if constexpr (T < 40) {
    mixed = (b ^ c ^ d) + 0x6ed9eba1U;
  } else if constexpr (T < 60) {
    mixed = ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdcU;
  } else {
    mixed = (b ^ c ^ d) + 0xca62c1d6U;
  }
  e += std::rotl(a, 5) + mixed + w[T % 16];  // becomes a of the next round
  b = std::rotl(b, 30);
}

/// Returns the SHA-1 of a message that fits into one block with its padding (sections 5.3.1 and
/// 6.1.2).
inline sha1_digest sha1_of_block(sha1_block w) {
  constexpr sha1_digest start{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  sha1_digest v = start;
  [&]<std::size_t... T>(std::index_sequence<T...>) {
    (sha1_round<T>(v, w), ...);
  }(std::make_index_sequence<80>{});
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += start[i];
  return v;
}

}  // namespace evencube::workloads
