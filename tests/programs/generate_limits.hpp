#pragma once

#include "program.hpp"

namespace evencube::programs {

/// Gives some calls of run() a limit, and lets some futures and coroutines race.
void draw_limits(program& p);

}  // namespace evencube::programs
