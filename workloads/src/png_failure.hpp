#pragma once

#include <png.h>

#include <array>
#include <cstdio>

namespace evencube::workloads {

/// What libpng complained about. libpng reports by longjmp, over which no C++ object with a
/// destructor may lie: the text is kept here, in plain memory that outlives the jump.
struct png_failure {
  std::array<char, 200> text = {};
};

/// libpng's error callback: remembers the text and jumps back to the caller's setjmp.
[[noreturn]] inline void remember_and_jump(png_structp png, png_const_charp text) {
  auto& failure = *static_cast<png_failure*>(png_get_error_ptr(png));
  std::snprintf(failure.text.data(), failure.text.size(), "%s", text);
  png_longjmp(png, 1);
}

/// libpng's warning callback. Warnings concern chunks that this library does not use.
inline void ignore_warning(png_structp, png_const_charp) {}

}  // namespace evencube::workloads
