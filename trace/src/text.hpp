#pragma once

#include <array>
#include <charconv>
#include <string>

namespace evencube::traces {

/// The shortest decimal text that is read as the same number.
inline std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

}  // namespace evencube::traces
