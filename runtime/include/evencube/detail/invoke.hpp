#pragma once

#include <type_traits>
#include <utility>

namespace evencube::detail {

/// Returns the object on which a member of `Class` is called: `object` itself, or the one to which
/// it points or refers.
template <typename Class, typename Object>
constexpr decltype(auto) object_of(Object&& object) {
  if constexpr (std::is_base_of_v<Class, std::remove_cvref_t<Object>>) {
    return std::forward<Object>(object);
  } else if constexpr (requires { *std::forward<Object>(object); }) {
    return *std::forward<Object>(object);
  } else {
    return object.get();  // of a std::reference_wrapper
  }
}

template <typename Member, typename Class, typename Object, typename... Args>
constexpr decltype(auto) call_member(Member Class::* member, Object&& object, Args&&... args) {
  if constexpr (std::is_function_v<Member>) {
    return (detail::object_of<Class>(std::forward<Object>(object)).*
            member)(std::forward<Args>(args)...);
  } else {
    return detail::object_of<Class>(std::forward<Object>(object)).*member;
  }
}

/// Does what std::invoke does, without its header, which takes a tenth of a second to compile.
template <typename F, typename... Args>
  requires std::is_invocable_v<F, Args...>
constexpr std::invoke_result_t<F, Args...> invoke(F&& f, Args&&... args) noexcept(
    std::is_nothrow_invocable_v<F, Args...>) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    return detail::call_member(f, std::forward<Args>(args)...);
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

}  // namespace evencube::detail
