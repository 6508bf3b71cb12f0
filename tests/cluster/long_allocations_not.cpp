// For programs with a sanitizer, whose operator new stays.
#include "cluster/long_allocations.hpp"

namespace evencube::test {

std::atomic<void (*)()> long_allocations::called{nullptr};
const bool long_allocations::seen = false;

}  // namespace evencube::test
