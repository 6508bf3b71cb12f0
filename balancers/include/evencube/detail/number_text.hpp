#pragma once

#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#if !defined(__cpp_lib_to_chars)
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#endif

namespace evencube::detail {

// Some standard libraries, such as that of emscripten 3.1, have no conversions of floating-point
// numbers in <charconv>. There, the functions of C do the same in more time.

/// Writes the shortest text in scientific notation that is read as the same finite number, and
/// returns its end. An exponent above 0 has a plus sign.
inline const char* scientific_text(double value, std::span<char, 40> text) noexcept {
#if defined(__cpp_lib_to_chars)
  return std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
      .ptr;
#else
  int length = 0;
  for (int places = 0; places < 17; ++places) {
    length = std::snprintf(text.data(), text.size(), "%.*e", places, value);
    if (std::strtod(text.data(), nullptr) == value) break;
  }
  return text.data() + length;
#endif
}

/// Returns the shortest decimal text that is read as the same number.
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

/// Reads the whole of a text as a number, without spaces or a plus sign around it. Returns false
/// if it is none.
inline bool read_number(const std::string& text, double& value) {
#if defined(__cpp_lib_to_chars)
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
#else
  constexpr std::string_view allowed = "0123456789.-+eE";
  if (text.empty() || text[0] == '+' || text.find_first_not_of(allowed) != std::string::npos) {
    return false;
  }
  char* stop = nullptr;
  errno = 0;
  value = std::strtod(text.c_str(), &stop);
  return errno == 0 && stop == text.c_str() + text.size();
#endif
}

}  // namespace evencube::detail
