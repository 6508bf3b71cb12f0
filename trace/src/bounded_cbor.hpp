#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace evencube::traces {

using json = nlohmann::json;

/// What a document may be made of.
struct cbor_limits {
  /// Arrays and objects within each other.
  std::size_t depth = 8;
  /// Bytes of memory that its values may take, roughly counted.
  std::size_t memory = std::size_t{64} << 20;
};

/// Reads one CBOR document (RFC 8949) that fills `bytes`: maps with text for keys, each once,
/// arrays, text, numbers, booleans and null, all of definite length. Throws std::invalid_argument
/// naming the byte and what is wrong there, or the limit that is broken; in both cases before more
/// memory than the limit is used. Calls itself for nothing, unlike the library's own reader.
[[nodiscard]] json read_cbor(std::span<const std::uint8_t> bytes, const cbor_limits& limits = {});

}  // namespace evencube::traces
