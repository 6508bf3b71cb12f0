#pragma once

/// Loops and algorithms that run on the runtime. <evencube/evencube.hpp> does not include this
/// header, so programs that only start tasks and wait need not compile it.
#include <evencube/balanced_loop.hpp>
#include <evencube/blocked_range.hpp>
#include <evencube/parallel_find.hpp>
#include <evencube/parallel_for_blocks.hpp>
#include <evencube/parallel_for_each.hpp>
#include <evencube/parallel_for_elements.hpp>
#include <evencube/parallel_invoke.hpp>
#include <evencube/parallel_pipeline.hpp>
#include <evencube/parallel_reduce.hpp>
#include <evencube/parallel_scan.hpp>
#include <evencube/parallel_sort.hpp>
#include <evencube/parallel_transform.hpp>
#include <evencube/standard_algorithms.hpp>
#include <evencube/stoppable.hpp>
#include <evencube/task_graph.hpp>
#include <evencube/worker_local.hpp>
