#pragma once

#include <evencube/interop/tbb/allocators.hpp>
#include <evencube/interop/tbb/blocked_range.hpp>
#include <evencube/interop/tbb/blocked_range2d.hpp>
#include <evencube/interop/tbb/blocked_range3d.hpp>
#include <evencube/interop/tbb/combinable.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/enumerable_thread_specific.hpp>
#include <evencube/interop/tbb/global_control.hpp>
#include <evencube/interop/tbb/info.hpp>
#include <evencube/interop/tbb/mutex.hpp>
#include <evencube/interop/tbb/parallel_for.hpp>
#include <evencube/interop/tbb/parallel_for_each.hpp>
#include <evencube/interop/tbb/parallel_invoke.hpp>
#include <evencube/interop/tbb/parallel_pipeline.hpp>
#include <evencube/interop/tbb/parallel_reduce.hpp>
#include <evencube/interop/tbb/parallel_scan.hpp>
#include <evencube/interop/tbb/parallel_sort.hpp>
#include <evencube/interop/tbb/partitioner.hpp>
#include <evencube/interop/tbb/task_arena.hpp>
#include <evencube/interop/tbb/task_group.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/interop/tbb/tick_count.hpp>

/// oneTBB's names and meanings on EvenCube: a program that includes this in place of <tbb/tbb.h>,
/// or the parts of that, and says `namespace tbb = evencube::tbb;` (or includes
/// <evencube/interop/as_tbb.hpp>, which says it) runs on EvenCube. What there is and where it
/// differs stands in docs/coming-from-tbb.md; what there is not does not compile.
///
/// Calls of threads that are no workers run on a runtime of their own, `default_runtime`, those of
/// tasks on the runtime that they belong to.
namespace evencube::tbb {}
