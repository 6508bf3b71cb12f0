#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evencube::detail {

/// A line of text in memory of its own, for places where nothing may be allocated, such as signal
/// handlers. Text that is too long is cut.
class text_line {
 public:
  text_line& operator<<(std::string_view more) noexcept {
    const std::size_t count = std::min(more.size(), text_.size() - length_);
    std::copy_n(more.data(), count, text_.data() + length_);
    length_ += count;
    return *this;
  }
  text_line& operator<<(const char* more) noexcept { return *this << std::string_view(more); }
  template <std::unsigned_integral Number>
  text_line& operator<<(Number number) noexcept {
    if constexpr (std::same_as<Number, bool>) {
      return *this << (number ? "yes" : "no");
    } else {
      return put(number, 10);
    }
  }
  text_line& operator<<(const void* address) noexcept {
    return (*this << "0x").put(reinterpret_cast<std::uintptr_t>(address), 16);
  }

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), length_}; }

 private:
  text_line& put(std::uint64_t number, int base) noexcept {
    const auto [end, failure] =
        std::to_chars(text_.data() + length_, text_.data() + text_.size(), number, base);
    if (failure == std::errc{}) length_ = static_cast<std::size_t>(end - text_.data());
    return *this;
  }

  std::array<char, 512> text_;
  std::size_t length_ = 0;
};

}  // namespace evencube::detail
