#pragma once

#include <cstddef>

namespace evencube::workloads::testing {

/// Forgets the peak: from now on it is that of what comes.
void forget_peak() noexcept;

/// The most bytes that were in use by `new` at once, beyond those at forget_peak().
[[nodiscard]] std::size_t peak_bytes() noexcept;

}  // namespace evencube::workloads::testing
