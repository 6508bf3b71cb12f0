#include <cstdlib>
#include <memory>

#include "platform/platform.hpp"

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

namespace evencube::detail {

#if __has_include(<cxxabi.h>)
std::string readable(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : type.name();
}
#else
std::string readable(const std::type_info& type) { return type.name(); }
#endif

}  // namespace evencube::detail
