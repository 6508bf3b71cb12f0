#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace evencube::simulator {

using json = nlohmann::json;

/// The outer layer of a trace file: a magic word, a version, and blocks that are checked one by
/// one.
inline constexpr std::array<char, 8> trace_magic{'E', 'V', 'C', 'T', 'R', 'A', 'C', 'E'};
inline constexpr std::uint32_t trace_version = 2;
inline constexpr std::size_t entries_per_block = 65536;

class trace_block_writer {
 public:
  explicit trace_block_writer(const std::filesystem::path& file);
  /// `kind` has four letters.
  void write(const char* kind, const json& payload);
  /// Throws trace_error if anything could not be written.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

class trace_block_reader {
 public:
  /// Throws trace_error if the file cannot be opened or does not begin as a trace.
  explicit trace_block_reader(const std::filesystem::path& file);

  struct block {
    std::string kind;
    json payload;
    std::uint64_t offset = 0;  ///< of its first byte
  };

  /// The next block. Throws trace_error naming the byte if it is cut or damaged.
  block next();

  /// Throws trace_error unless this is the end of the file.
  void expect_end();

  [[noreturn]] void refuse(std::uint64_t offset, const std::string& what) const;

 private:
  /// Exactly `size` bytes; `what` is being read.
  void read(char* into, std::size_t size, const std::string& what);

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace evencube::simulator
