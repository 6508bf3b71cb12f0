#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evencube::workloads {

/// The bytes of a file from front to back, from memory or from a file of which only a piece is
/// in memory at a time.
class byte_stream {
 public:
  /// Of bytes that outlive the stream.
  explicit byte_stream(std::span<const std::uint8_t> all) noexcept
      : window_{all}, size_{all.size()} {}

  /// Of a file, a pipe too. Throws image_error beginning with `name` if it cannot be opened.
  byte_stream(const std::filesystem::path& file, const std::string& name);

  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  ~byte_stream();

  /// The next bytes, `most` <= 4096 or fewer at the end. They are not taken.
  [[nodiscard]] std::span<const std::uint8_t> look(std::size_t most) noexcept;

  /// The next byte, or -1 at the end. It is not taken.
  [[nodiscard]] int peek() noexcept { return window_.empty() && !refill(1) ? -1 : window_.front(); }

  /// Takes the byte that peek() showed.
  void skip() noexcept { window_ = window_.subspan(1); }

  /// Takes `count` bytes of those that look() showed.
  void skip(std::size_t count) noexcept { window_ = window_.subspan(count); }

  /// Takes the next bytes; false if there are not so many.
  [[nodiscard]] bool take(std::span<std::uint8_t> out) noexcept;

  /// Bytes in all, as far as that is known: of a pipe it is not.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }

  /// The errno of a failed read, which looks like the end of the bytes; 0 if there was none.
  [[nodiscard]] int failure() const noexcept { return failure_; }

 private:
  static constexpr std::size_t buffer_size = 65536;

  /// Reads until `least` bytes are in the window; false if they are not to be had.
  bool refill(std::size_t least) noexcept;

  std::span<const std::uint8_t> window_;
  std::optional<std::uint64_t> size_;
  std::vector<std::uint8_t> buffer_;
  int descriptor_ = -1;
  int failure_ = 0;
};

/// What a file may have that does not say its size: it may have no end.
inline constexpr std::uint64_t most_of_no_size = std::uint64_t{1} << 28;

/// All of a file, a pipe too. Throws input_error where it cannot be read or is too long, and
/// std::bad_alloc.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

}  // namespace evencube::workloads
