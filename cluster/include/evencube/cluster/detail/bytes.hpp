#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/error.hpp>

namespace evencube::detail {

/// The bytes that ranks send to one another. They have no pointers. All ranks run the same program
/// on the same kind of machine, so values are sent as they are in memory.
using message_bytes = std::vector<std::byte>;

template <typename T>
inline constexpr bool goes_as_it_lies = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// Thrown if a message would have more bytes than a message can have.
class message_too_long : public std::length_error {
 public:
  explicit message_too_long(std::size_t bytes)
      : std::length_error("cluster: a message of " + std::to_string(bytes) + " bytes or more"),
        bytes_(bytes) {}
  /// The number of bytes at which the message became too long.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
};

/// Appends to a message. Throws message_too_long before the message has more than `most` bytes.
class byte_writer {
 public:
  byte_writer() = default;
  explicit byte_writer(std::size_t most) noexcept : most_(most) {}

  // Not inlined, because g++ 12 would take the vector's growth by single bytes for a read beyond
  // the end.
  [[gnu::noinline]] void raw(const void* from, std::size_t count) {
    if (count > most_ - out_.size()) throw message_too_long(out_.size() + count);
    const auto* const first = static_cast<const std::byte*>(from);
    out_.insert(out_.end(), first, first + count);
  }
  template <typename T>
    requires goes_as_it_lies<T>
  void put(const T& value) {
    raw(&value, sizeof value);
  }
  void put(const std::string& text) { block(text.data(), text.size()); }
  /// Appends a number of bytes, and then the bytes.
  void block(const void* from, std::size_t count) {
    put(std::uint64_t{count});
    raw(from, count);
  }

  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }
  [[nodiscard]] message_bytes take() noexcept { return std::exchange(out_, {}); }
  [[nodiscard]] std::byte* at(std::size_t place) noexcept { return out_.data() + place; }

 private:
  message_bytes out_;
  std::size_t most_ = (std::numeric_limits<std::size_t>::max)();
};

/// Reads what a writer has written. Throws evencube::error if a message ends too early, which means
/// that another program sent it.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> from) noexcept : left_(from) {}

  [[nodiscard]] std::span<const std::byte> raw(std::size_t count) {
    if (count > left_.size()) {
      throw error("cluster: a message ends " + std::to_string(count - left_.size()) +
                  " bytes too early");
    }
    const auto found = left_.first(count);
    left_ = left_.subspan(count);
    return found;
  }
  void raw(void* to, std::size_t count) {
    const auto found = raw(count);
    if (count != 0) std::memcpy(to, found.data(), count);
  }
  template <typename T>
    requires goes_as_it_lies<T>
  [[nodiscard]] T get() {
    T value;
    raw(&value, sizeof value);
    return value;
  }
  [[nodiscard]] std::span<const std::byte> block() {
    return raw(static_cast<std::size_t>(get<std::uint64_t>()));
  }
  [[nodiscard]] std::string text() {
    const auto found = block();
    return {reinterpret_cast<const char*>(found.data()), found.size()};
  }
  [[nodiscard]] std::span<const std::byte> rest() const noexcept { return left_; }

 private:
  std::span<const std::byte> left_;
};

}  // namespace evencube::detail
