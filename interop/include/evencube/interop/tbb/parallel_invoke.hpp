#pragma once

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/parallel_invoke.hpp>

namespace evencube::tbb {

template <typename... Functions>
  requires(sizeof...(Functions) >= 2)
void parallel_invoke(const Functions&... functions) {
  detail::inside([&] {
    static_cast<void>(evencube::parallel_invoke([&] { static_cast<void>(functions()); }...));
  });
}

}  // namespace evencube::tbb
