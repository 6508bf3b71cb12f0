// oneTBB's containers are included before EvenCube's names.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_vector.h>

#include <evencube/interop/as_tbb.hpp>

#include "containers.hpp"

bool containers_first() { return fill_containers(); }
