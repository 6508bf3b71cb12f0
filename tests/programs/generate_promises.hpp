#pragma once

#include "program.hpp"

namespace evencube::programs {

/// Turns some futures of the program into those of promises: futures that were ready when they were
/// made, and futures whose task only worked or paused. Draws from the seed by itself, so that the
/// rest of the program is what it was. Waits end as before, because the value is set by the thread
/// that makes the promise, or by a thread that waits for nothing.
void draw_promises(program& p);

}  // namespace evencube::programs
