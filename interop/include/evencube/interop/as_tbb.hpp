#pragma once

#include <evencube/interop/tbb.hpp>

/// The names by which programs call oneTBB. Not beside oneTBB's own headers, which have them, too.
namespace tbb = evencube::tbb;
namespace oneapi {
namespace tbb = evencube::tbb;
}  // namespace oneapi
