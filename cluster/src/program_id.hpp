#pragma once

#include <string>

namespace evencube::detail {

/// The build id that the linker has given the running program, as hexadecimal digits; empty if it
/// has none. Programs with equal build ids are the same program.
[[nodiscard]] std::string program_id();

}  // namespace evencube::detail
