#pragma once

// A test that includes this is a program in oneTBB's words, and is built twice: on EvenCube, and on
// oneTBB.
#ifdef EVENCUBE_TEST_TBB_ITSELF
#include <oneapi/tbb.h>
#include <oneapi/tbb/mutex.h>  // which that leaves out
#include <oneapi/tbb/rw_mutex.h>
#else
#include <evencube/interop/as_tbb.hpp>
#endif
