#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evencube::workloads {

/// The bytes of a file from front to back. They come from memory, or from a file of which only a
/// piece is in memory at a time.
class byte_stream {
 public:
  /// Reads bytes that outlive the stream.
  explicit byte_stream(std::span<const std::uint8_t> all) noexcept
      : window_{all}, size_{all.size()} {}

  /// Reads a file, which may be a pipe. Throws image_error beginning with `name` if it cannot be
  /// opened.
  byte_stream(const std::filesystem::path& file, const std::string& name);

  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  ~byte_stream();

  /// The next `most` <= 4096 bytes, or fewer at the end. The bytes stay in the stream.
  [[nodiscard]] std::span<const std::uint8_t> look(std::size_t most) noexcept;

  /// The next byte, or -1 at the end. The byte stays in the stream.
  [[nodiscard]] int peek() noexcept { return window_.empty() && !refill(1) ? -1 : window_.front(); }

  /// Takes the byte that peek() showed.
  void skip() noexcept { window_ = window_.subspan(1); }

  /// Takes the first `count` bytes that look() showed.
  void skip(std::size_t count) noexcept { window_ = window_.subspan(count); }

  /// Takes the next `out.size()` bytes; false if fewer bytes are left.
  [[nodiscard]] bool take(std::span<std::uint8_t> out) noexcept;

  /// The number of all bytes, if it is known: the size of a pipe is not.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }

  /// The errno of a failed read, which looks like the end of the bytes; 0 if there was none.
  [[nodiscard]] int failure() const noexcept { return failure_; }

 private:
  static constexpr std::size_t buffer_size = 65536;

  /// Reads until `least` bytes are in the window; false if the file ends or fails before.
  bool refill(std::size_t least) noexcept;

  std::span<const std::uint8_t> window_;
  std::optional<std::uint64_t> size_;
  std::vector<std::uint8_t> buffer_;
  int descriptor_ = -1;
  int failure_ = 0;
};

/// The most bytes that are read from a file of unknown size, because it may have no end.
inline constexpr std::uint64_t most_of_no_size = std::uint64_t{1} << 28;

/// The whole text of a file, which may be a pipe. Throws input_error if it cannot be read or is too
/// long, and std::bad_alloc.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

}  // namespace evencube::workloads
