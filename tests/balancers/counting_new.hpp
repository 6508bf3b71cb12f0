#pragma once

#include <cstddef>

namespace evencube::testing {

/// How often operator new has been called in this program. Not for threads.
std::size_t allocations() noexcept;

}  // namespace evencube::testing
