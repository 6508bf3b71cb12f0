#pragma once

#include <evencube/interop/as_tbb.hpp>

// The containers are oneTBB's own, and so are then the ranges and mutexes that their headers bring.
#ifdef EVENCUBE_WITH_CONTAINERS_OF_TBB
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#endif
