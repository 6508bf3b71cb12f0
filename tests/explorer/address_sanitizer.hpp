#pragma once

// Whether the address sanitizer is in, and what it is told.
#if defined(__SANITIZE_ADDRESS__)
#define EVENCUBE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EVENCUBE_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(EVENCUBE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
