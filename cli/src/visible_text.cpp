#include "visible_text.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>

namespace evencube::cli {
namespace {

/// The number of bytes of the UTF-8 character that begins `text`, or 0 if there is none or it is a
/// control character (C0, DEL, C1).
std::size_t plain_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7F ? 1 : 0;
  struct form {
    std::uint32_t mask;
    std::uint32_t lead;
    std::size_t length;
    std::uint32_t least;  // the least code point that needs `length` bytes
  };
  constexpr std::array<form, 3> forms{
      {{0xE0, 0xC0, 2, 0xA0}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}}};
  for (const form& f : forms) {
    if ((first & f.mask) != f.lead) continue;
    if (text.size() < f.length) return 0;
    std::uint32_t code = first & ~f.mask;
    for (std::size_t i = 1; i < f.length; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return 0;
      code = code << 6 | (byte(i) & 0x3FU);
    }
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code >= f.least && code <= 0x10FFFF && !surrogate ? f.length : 0;
  }
  return 0;
}

}  // namespace

std::string visible(std::string_view text, bool lines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const char first = text.front();
    std::size_t length = lines && (first == '\n' || first == '\t') ? 1 : plain_character(text);
    if (length == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(first));
      length = 1;
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return shown;
}

std::string visible_and_short(std::string_view text, std::size_t most) {
  if (text.size() <= most) return visible(text);
  // Keeps the end as well, because a message gives its reason after the faulty value.
  const std::size_t end = most / 3;
  const std::size_t beginning = most - end;
  return fmt::format("{} ... ({} characters) ... {}", visible(text.substr(0, beginning)),
                     text.size() - most, visible(text.substr(text.size() - end)));
}

}  // namespace evencube::cli
