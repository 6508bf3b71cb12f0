#pragma once

#include <evencube/interop/tbb/global_control.hpp>

namespace evencube::tbb {

namespace info {
[[nodiscard]] inline int default_concurrency() {
  return static_cast<int>(global_control::active_value(global_control::max_allowed_parallelism));
}
}  // namespace info

}  // namespace evencube::tbb
