#pragma once

#include "program.hpp"

namespace evencube::programs {

/// Lets values go along some edges of the graphs of a program that has been drawn. That takes
/// nothing away from what may be sure: a node that lacks a value stands behind one that was
/// skipped, and in such a graph no node is.
void draw_values(program& p);

}  // namespace evencube::programs
