#pragma once

#include <array>
#include <charconv>
#include <string>

namespace evencube::simulator {

/// The shortest decimal text that is read as the same number.
inline std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

/// Returns `value` with `digits` digits after the point.
inline std::string fixed(double value, int digits) {
  std::array<char, 400> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::fixed, digits);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

}  // namespace evencube::simulator
