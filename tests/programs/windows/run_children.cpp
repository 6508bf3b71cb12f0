// The twin of ../run_children.cpp for Windows, which has no `fork`: no program is drawn with
// children.
#include "execution.hpp"

namespace evencube::programs {

void execution::fork_a_child() { fail("Windows has no fork"); }
void execution::exit_in_a_child(const step& /*s*/) { fail("Windows has no fork"); }

}  // namespace evencube::programs
