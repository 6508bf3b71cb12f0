#pragma once

#include <array>
#include <charconv>
#include <string>

#include <evencube/detail/number_text.hpp>

#if !defined(__cpp_lib_to_chars)
#include <cstdio>
#endif

namespace evencube::simulator {

using detail::shortest;

/// Returns `value` with `digits` digits after the point.
inline std::string fixed(double value, int digits) {
  std::array<char, 400> buffer;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::fixed, digits);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
#else
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
  return length > 0 && static_cast<std::size_t>(length) < buffer.size() ? buffer.data() : "?";
#endif
}

}  // namespace evencube::simulator
