#pragma once

// Included before every source that is compiled to WebAssembly: it adds functions of the standard
// that the library of emscripten 3.1 lacks. Its compiler has them as built-in functions.
#include <bit>

#if !defined(__cpp_lib_bit_cast)
namespace std {

template <class To, class From>
  requires(sizeof(To) == sizeof(From))
[[nodiscard]] constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

}  // namespace std
#endif
