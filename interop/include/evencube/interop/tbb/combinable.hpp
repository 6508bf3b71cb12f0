#pragma once

#include <evencube/interop/tbb/enumerable_thread_specific.hpp>

namespace evencube::tbb {

template <typename T>
using combinable = enumerable_thread_specific<T>;

}  // namespace evencube::tbb
