#pragma once

#include <cstdint>
#include <evencube/trace/trace.hpp>
#include <istream>
#include <span>
#include <string>

namespace evencube::traces {

// What takes zlib: packing.cpp is with it, and without_zlib.cpp is for programs that have none,
// such as the page of the lab. A program has one of the two.

/// Returns the CRC-32 of the bytes, as in zlib and gzip.
[[nodiscard]] std::uint32_t checksum(std::span<const std::uint8_t> bytes);

/// The largest size to which a packed trace may unfold. It may also not exceed `most_unfolding`
/// times its own bytes plus a mebibyte.
inline constexpr std::uint64_t most_unpacked_bytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t most_unfolding = 64;

/// Returns the content of the one gzip member that the `size` bytes of `from` are. Throws
/// trace_error, which begins with `name`, if the member is damaged, cut or followed by other bytes,
/// or if it unfolds to too much; without zlib, always.
[[nodiscard]] std::string unpack(std::istream& from, std::uint64_t size, const std::string& name);

}  // namespace evencube::traces
