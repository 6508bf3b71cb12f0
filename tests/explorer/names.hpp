#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "mutation.hpp"

namespace evencube::explorer {

/// How the explorer tells people of steps.
inline const char* name_of(action what) noexcept {
  constexpr const char* names[] = {"load",      "store",    "exchange",  "compare_exchange",
                                   "fetch_add", "fetch_or", "fetch_and", "fetch_xor",
                                   "sleep",     "wake",     "pause",     "lock",
                                   "unlock",    "read",     "write"};
  return names[static_cast<unsigned>(what)];
}
inline const char* name_of(std::memory_order order) noexcept {
  constexpr const char* names[] = {"relaxed", "consume", "acquire",
                                   "release", "acq_rel", "seq_cst"};
  return names[static_cast<unsigned>(order)];
}

/// Compilers differ on whether a template's name goes with its arguments.
inline std::string_view plain_name(const char* function) noexcept {
  const std::string_view name(function);
  return name.substr(0, name.find('<'));
}
inline std::string name_of(const site& at) {
  return std::string(plain_name(at.function)) + ":" + std::to_string(at.line);
}

inline std::string number(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, value < 1000000 ? "%llu" : "%#llx",
                static_cast<unsigned long long>(value));
  return text;
}

inline bool acquires(std::memory_order order) noexcept {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
inline bool releases(std::memory_order order) noexcept {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
inline bool is_total(std::memory_order order) noexcept {
  return order == std::memory_order_seq_cst;
}

}  // namespace evencube::explorer
