#include <array>

#include "packing.hpp"

namespace evencube::traces {
namespace {

/// The table of the CRC-32 with the polynomial 0xEDB88320, reflected.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? 0xEDB88320U : 0U);
    table[i] = rest;
  }
  return table;
}();

}  // namespace

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const std::uint8_t byte : bytes) rest = rest >> 8 ^ crc_table[(rest ^ byte) & 0xFF];
  return ~rest;
}

std::string unpack(std::istream&, std::uint64_t, const std::string& name) {
  throw trace_error(name + ": byte 0: it is packed, and this program cannot unpack it");
}

}  // namespace evencube::traces
