#pragma once

#include <evencube/interop/tbb/allocators.hpp>
#include <evencube/interop/tbb/blocked_range.hpp>
#include <evencube/interop/tbb/blocked_range2d.hpp>
#include <evencube/interop/tbb/blocked_range3d.hpp>
#include <evencube/interop/tbb/collaborative_call_once.hpp>
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
#include <evencube/interop/tbb/task_scheduler_observer.hpp>
#include <evencube/interop/tbb/tick_count.hpp>

/// oneTBB's interface on EvenCube. A program runs on EvenCube if it includes this header, or
/// headers in tbb/, instead of <tbb/tbb.h> and declares `namespace tbb = evencube::tbb;`.
/// Alternatively, it can simply include <evencube/interop/as_tbb.hpp>. docs/coming-from-tbb.md
/// lists the names that exist and their differences; code that uses missing names does not compile.
///
/// Calls from threads that are not workers run on a separate runtime, `default_runtime`. A call
/// from a task runs on the task's runtime.
namespace evencube::tbb {}
