#pragma once

#include "program.hpp"

namespace evencube::programs {

/// Puts some of the program's calls of run(), futures, groups and meetings into arenas:
/// step::places. Draws from the seed by itself, so that the rest of the program is what it was.
/// Waits end as before: tasks that sleep in one keep no place, and what else may block (a flag) is
/// awaited for threads outside alone.
void draw_arenas(program& p);

}  // namespace evencube::programs
