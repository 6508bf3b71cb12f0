#pragma once

#include <evencube/interop/tbb.hpp>
#include <evencube/interop/tbb/scalable_functions.hpp>
#include <evencube/interop/tbb/version_macros.hpp>

/// The names of namespace `tbb`.
namespace evencube::names_of_tbb {

using evencube::tbb::affinity_partitioner;
using evencube::tbb::attach;
using evencube::tbb::auto_partitioner;
using evencube::tbb::blocked_range;
using evencube::tbb::blocked_range2d;
using evencube::tbb::blocked_range3d;
using evencube::tbb::cache_aligned_allocator;
using evencube::tbb::cache_aligned_resource;
using evencube::tbb::canceled;
using evencube::tbb::collaborative_call_once;
using evencube::tbb::collaborative_once_flag;
using evencube::tbb::combinable;
using evencube::tbb::complete;
using evencube::tbb::core_type_id;
using evencube::tbb::default_runtime;
using evencube::tbb::enumerable_thread_specific;
using evencube::tbb::ets_key_per_instance;
using evencube::tbb::ets_key_usage_type;
using evencube::tbb::ets_no_key;
using evencube::tbb::ets_suspend_aware;
using evencube::tbb::feeder;
using evencube::tbb::filter;
using evencube::tbb::filter_mode;
using evencube::tbb::final_scan_tag;
using evencube::tbb::finalize;
using evencube::tbb::flatten2d;
using evencube::tbb::flattened2d;
using evencube::tbb::flow_control;
using evencube::tbb::global_control;
using evencube::tbb::is_current_task_group_canceling;
using evencube::tbb::isolated_task_group;
using evencube::tbb::make_filter;
using evencube::tbb::missing_wait;
using evencube::tbb::mutex;
using evencube::tbb::not_complete;
using evencube::tbb::null_mutex;
using evencube::tbb::null_rw_mutex;
using evencube::tbb::numa_node_id;
using evencube::tbb::parallel_deterministic_reduce;
using evencube::tbb::parallel_for;
using evencube::tbb::parallel_for_each;
using evencube::tbb::parallel_invoke;
using evencube::tbb::parallel_pipeline;
using evencube::tbb::parallel_reduce;
using evencube::tbb::parallel_scan;
using evencube::tbb::parallel_sort;
using evencube::tbb::pre_scan_tag;
using evencube::tbb::proportional_split;
using evencube::tbb::queuing_mutex;
using evencube::tbb::queuing_rw_mutex;
using evencube::tbb::rw_mutex;
using evencube::tbb::scalable_allocator;
using evencube::tbb::scalable_memory_resource;
using evencube::tbb::simple_partitioner;
using evencube::tbb::speculative_spin_mutex;
using evencube::tbb::speculative_spin_rw_mutex;
using evencube::tbb::spin_mutex;
using evencube::tbb::spin_rw_mutex;
using evencube::tbb::split;
using evencube::tbb::static_partitioner;
using evencube::tbb::task_arena;
using evencube::tbb::task_group;
using evencube::tbb::task_group_context;
using evencube::tbb::task_group_status;
using evencube::tbb::task_handle;
using evencube::tbb::task_scheduler_handle;
using evencube::tbb::task_scheduler_observer;
using evencube::tbb::tbb_allocator;
using evencube::tbb::tick_count;
using evencube::tbb::unsafe_wait;

namespace info = evencube::tbb::info;
namespace task = evencube::tbb::task;
namespace this_task_arena = evencube::tbb::this_task_arena;

}  // namespace evencube::names_of_tbb

/// The namespace in which programs find oneTBB's names. A program may add names to it. If the
/// program also includes one of oneTBB's own headers, before or after this header, names from that
/// header mean oneTBB's entities, and all other names mean EvenCube's. Everything is defined in
/// `evencube`, so oneTBB's library may be loaded into the same process.
namespace tbb {
using namespace evencube::names_of_tbb;
// This namespace also contains functions for oneTBB's mutexes.
namespace profiling {
using evencube::tbb::profiling::set_name;
}  // namespace profiling
}  // namespace tbb
namespace oneapi {
// Hidden from Doxygen, which mistakes the name for an alias of itself.
/// \cond
namespace tbb = ::tbb;
/// \endcond
}  // namespace oneapi
