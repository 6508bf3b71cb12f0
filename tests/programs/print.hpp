#pragma once

#include <string>

#include "program.hpp"

namespace evencube::programs {

/// The program as C++ that compiles against the library. What its tasks did is not checked there:
/// it ends, or it does not.
std::string to_cpp(const program& p);

}  // namespace evencube::programs
