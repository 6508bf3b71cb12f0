#pragma once

#include <string>

namespace evencube::programs {

/// What stands before every printed program: includes, and the functions that its steps call.
std::string printed_prelude();

}  // namespace evencube::programs
