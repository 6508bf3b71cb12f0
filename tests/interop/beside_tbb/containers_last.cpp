// The folder with oneTBB's header names is searched first, and its <tbb/tbb.h> brings the
// containers.
#define EVENCUBE_WITH_CONTAINERS_OF_TBB
#include <tbb/parallel_for.h>
#include <tbb/tbb.h>

#include "containers.hpp"

static_assert(std::is_same_v<tbb::task_group, evencube::tbb::task_group>);

bool containers_last() { return fill_containers(); }
