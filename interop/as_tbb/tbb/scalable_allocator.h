#pragma once

#include <evencube/interop/as_tbb.hpp>

// The constants of oneTBB's header, unless that has been included.
#ifndef __TBB_scalable_allocator_H
#define __TBB_scalable_allocator_H
enum ScalableAllocationResult {
  TBBMALLOC_OK,
  TBBMALLOC_INVALID_PARAM,
  TBBMALLOC_UNSUPPORTED,
  TBBMALLOC_NO_MEMORY,
  TBBMALLOC_NO_EFFECT
};
enum AllocationModeParam {
  TBBMALLOC_USE_HUGE_PAGES,
  USE_HUGE_PAGES = TBBMALLOC_USE_HUGE_PAGES,
  TBBMALLOC_SET_SOFT_HEAP_LIMIT,
  TBBMALLOC_SET_HUGE_SIZE_THRESHOLD
};
enum ScalableAllocationCmd { TBBMALLOC_CLEAN_ALL_BUFFERS, TBBMALLOC_CLEAN_THREAD_BUFFERS };
#endif
