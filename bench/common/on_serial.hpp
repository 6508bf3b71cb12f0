#pragma once

#include "program.hpp"

namespace bench {

/// The same algorithm without tasks: what the others are measured against.
inline const engine on_serial{"serial"};

}  // namespace bench
