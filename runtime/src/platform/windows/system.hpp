#pragma once

// The headers of Windows. They define macros such as `near` and `small`, so only the files of this
// folder include them, and these are compiled one at a time.

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
