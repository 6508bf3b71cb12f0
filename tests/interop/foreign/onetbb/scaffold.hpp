// Included before each test of oneTBB.
#if __has_include(<oneapi/tbb/detail/_template_helpers.h>)
// What the tests use of oneTBB's own helpers.
#include <oneapi/tbb/detail/_template_helpers.h>
namespace tbb::detail::r1 {
std::size_t cache_line_size();  // of libtbb
}
#endif
// The cases that ask for constraints on arguments are left out: EvenCube has its own.
#undef __TBB_CPP20_CONCEPTS_PRESENT
#define __TBB_CPP20_CONCEPTS_PRESENT 0
#undef __TBB_requires
#define __TBB_requires(...)
// The header of these cases, which includes the flow graph and with it oneTBB's own contexts.
#define __TBB_test_common_concepts_common_H
// The cases about NUMA nodes compare with hwloc.
#define __TBB_HWLOC_VALID_ENVIRONMENT 1
