#pragma once

#include <array>
#include <cstdint>
#include <evencube/trace/trace.hpp>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>

#include "bounded_cbor.hpp"

namespace evencube::traces {

/// The outer layer of a trace file: a magic word, a version, and blocks that are checked one by
/// one.
inline constexpr std::array<char, 8> trace_magic{'E', 'V', 'C', 'T', 'R', 'A', 'C', 'E'};
inline constexpr std::uint32_t trace_version = 3;
/// The oldest version that is read. Its heads and columns may lack what was added later.
inline constexpr std::uint32_t oldest_trace_version = 2;
inline constexpr std::size_t entries_per_block = 65536;
/// The largest length of a payload.
inline constexpr std::uint32_t most_block_bytes = std::uint32_t{256} << 20;

class trace_block_writer {
 public:
  explicit trace_block_writer(const byte_sink& to);
  /// Writes a block. `kind` has four letters.
  void write(const char* kind, const json& payload);

 private:
  const byte_sink& to_;
};

class trace_block_reader {
 public:
  /// Reads `size` bytes of `from`; `name` is for messages. Throws trace_error if they do not begin
  /// as a trace does.
  trace_block_reader(std::istream& from, std::uint64_t size, std::string name);

  struct block {
    std::string kind;
    json payload;
    std::uint64_t offset = 0;  ///< of its first byte
  };

  /// Returns the next block, whose payload may take up to `memory` bytes. Throws trace_error, which
  /// names the byte, if the block is cut, damaged or too large.
  block next(std::size_t memory);

  /// Throws trace_error unless this is the end of the file.
  void expect_end();

  /// The number of bytes of the whole file.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  [[noreturn]] void refuse(std::uint64_t offset, const std::string& what) const;

 private:
  /// Reads exactly `size` bytes. `what` is the name of what is being read.
  void read(char* into, std::size_t size, const std::string& what);

  std::istream& from_;
  std::uint64_t size_;
  std::string name_;
  std::uint64_t offset_ = 0;
};

}  // namespace evencube::traces
