#pragma once

#include <array>

namespace evencube::traces {

// The files of src/page, which are part of the program.
extern const char* const page_style;
extern const char* const page_body;
/// In the order in which they are run.
extern const std::array<const char*, 6> page_scripts;

}  // namespace evencube::traces
