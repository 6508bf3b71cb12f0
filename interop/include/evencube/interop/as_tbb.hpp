#pragma once

#include <evencube/interop/tbb.hpp>

/// The names by which programs call oneTBB. Do not include this header together with oneTBB's own,
/// which define these names, too.
namespace tbb = evencube::tbb;
namespace oneapi {
namespace tbb = evencube::tbb;
}  // namespace oneapi
