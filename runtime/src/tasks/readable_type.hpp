#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

namespace evencube::detail {

/// The name of the type as people write it, or else the name that the compiler gave it.
inline std::string readable(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : type.name();
}

}  // namespace evencube::detail
