#pragma once

#include <algorithm>
#include <cstdlib>

namespace evencube::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr int sanitizer_slowness = 10;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr int sanitizer_slowness = 10;
#else
inline constexpr int sanitizer_slowness = 1;
#endif
#else
inline constexpr int sanitizer_slowness = 1;
#endif

/// How often a program is run whose failure needs luck: `usual` times, or as often as
/// EVENCUBE_REPETITIONS says; a tenth of `usual` under a sanitizer.
inline int repetitions(int usual) {
  const char* const text = std::getenv("EVENCUBE_REPETITIONS");
  return std::max(1, text != nullptr ? std::atoi(text) : usual / sanitizer_slowness);
}

}  // namespace evencube::test
