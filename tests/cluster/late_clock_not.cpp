// Where a sanitizer stands before the C library's functions itself.
#include "cluster/late_clock.hpp"

namespace evencube::test {

std::atomic<bool> late_clock::closed{false};
std::atomic<bool> late_clock::somebody_waits{false};

void late_clock::be_late() noexcept {}

}  // namespace evencube::test
