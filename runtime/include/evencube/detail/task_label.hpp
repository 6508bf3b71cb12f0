#pragma once

#include <typeinfo>

namespace evencube::detail {

/// What a task is called in a recording: the name that its maker gave it, else the type of its
/// function. Looked at where a recording is made and nowhere else; both last as long as the library
/// that they are from.
struct task_label {
  const char* given = nullptr;
  const std::type_info* type = nullptr;
};

/// That of a function without a name; nothing where the compiler keeps no types.
template <typename F>
constexpr const std::type_info* type_of_function() noexcept {
#ifdef __cpp_rtti
  return &typeid(F);
#else
  return nullptr;
#endif
}

}  // namespace evencube::detail
