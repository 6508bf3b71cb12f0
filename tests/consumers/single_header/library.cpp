// The source that compiles the library. Another header may have included the declarations before.
#include "evencube_single.hpp"

#define EVENCUBE_IMPLEMENTATION
#include "evencube_single.hpp"
