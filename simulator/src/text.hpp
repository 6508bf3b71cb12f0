#pragma once

#include <array>
#include <charconv>
#include <string>

#if !defined(__cpp_lib_to_chars)
#include <cmath>
#include <cstdio>
#include <cstdlib>
#endif

namespace evencube::simulator {

// Some standard libraries, such as that of emscripten 3.1, have no conversions of floating-point
// numbers in <charconv>. There, the functions of C give the same texts and numbers in more time.

/// The shortest decimal text that is read as the same number.
inline std::string shortest(double value) {
#if defined(__cpp_lib_to_chars)
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
#else
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 400> scientific;
  int places = 0;
  do {
    std::snprintf(scientific.data(), scientific.size(), "%.*e", places, value);
  } while (std::strtod(scientific.data(), nullptr) != value && ++places < 17);
  const std::string with_exponent = scientific.data();
  const int exponent = std::atoi(with_exponent.c_str() + with_exponent.find('e') + 1);
  const int after_point = places > exponent ? places - exponent : 0;
  std::array<char, 400> fixed;
  std::snprintf(fixed.data(), fixed.size(), "%.*f", after_point, value);
  const std::string without = fixed.data();
  return without.size() <= with_exponent.size() ? without : with_exponent;
#endif
}

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
