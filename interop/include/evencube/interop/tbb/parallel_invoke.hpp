#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <evencube/fork_join.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>

namespace evencube::tbb {

namespace detail {

/// Calls the functions `First` to `First + Count - 1` of a tuple of references.
template <std::size_t First, std::size_t Count, typename Functions>
void invoke_part(call& of, const Functions& functions) {
  if constexpr (Count == 1) {
    of.run([&] { static_cast<void>(std::get<First>(functions)()); });
  } else {
    constexpr std::size_t half = (Count + 1) / 2;
    evencube::fork_join([&] { detail::invoke_part<First, half>(of, functions); },
                        [&] { detail::invoke_part<First + half, Count - half>(of, functions); });
  }
}
/// Calls the functions in the tuple: all its elements except the last `Others`.
template <std::size_t Others, typename Functions>
void invoke_all(const Functions& functions, task_group_context* context) {
  detail::inside([&] {
    call of(context);
    detail::invoke_part<0, std::tuple_size_v<Functions> - Others>(of, functions);
  });
}

template <typename... Arguments>
using last_of =
    std::remove_cvref_t<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>>;

}  // namespace detail

/// Calls the functions, possibly simultaneously. The last argument may be a context.
template <typename... Arguments>
  requires(sizeof...(Arguments) >= 2)
void parallel_invoke(Arguments&&... arguments) {
  const std::tuple<Arguments&...> all(arguments...);
  if constexpr (std::is_same_v<detail::last_of<Arguments...>, task_group_context>) {
    static_assert(sizeof...(Arguments) >= 3, "parallel_invoke takes two functions or more");
    detail::invoke_all<1>(all, &std::get<sizeof...(Arguments) - 1>(all));
  } else {
    detail::invoke_all<0>(all, nullptr);
  }
}

}  // namespace evencube::tbb
