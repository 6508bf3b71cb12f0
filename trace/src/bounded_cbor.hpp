#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace evencube::traces {

using json = nlohmann::json;

/// The limits of a document.
struct cbor_limits {
  /// The depth of nested arrays and objects.
  std::size_t depth = 8;
  /// The bytes of memory that its values may take, counted roughly.
  std::size_t memory = std::size_t{64} << 20;
};

/// Reads one CBOR document (RFC 8949) that fills `bytes`: maps with text for keys, each key once,
/// arrays, text, numbers, booleans and null, all of definite length. Throws std::invalid_argument
/// that names the byte and the error there, or the limit that is exceeded. In both cases it uses no
/// more memory than the limit. Not recursive, unlike the reader of the json library.
[[nodiscard]] json read_cbor(std::span<const std::uint8_t> bytes, const cbor_limits& limits = {});

}  // namespace evencube::traces
