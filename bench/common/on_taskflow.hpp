#pragma once

#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

#include "program.hpp"

namespace bench {

inline const engine on_taskflow{"taskflow"};

}  // namespace bench
