#pragma once

#include <typeinfo>

namespace evencube::detail {

/// The name of a task in a recording: the name given at its spawn, or else the type of its
/// function. It is read only where a recording is made. Both exist as long as the library that they
/// come from.
struct task_label {
  const char* given = nullptr;
  const std::type_info* type = nullptr;
};

/// The type of a function without a name, or null if the compiler keeps no types.
template <typename F>
constexpr const std::type_info* type_of_function() noexcept {
#ifdef __cpp_rtti
  return &typeid(F);
#else
  return nullptr;
#endif
}

}  // namespace evencube::detail
