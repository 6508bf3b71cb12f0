#pragma once

/// Includes the headers that most users of the runtime need. Algorithms, coroutines and
/// `live_sampler` have separate headers.
#include <evencube/arena.hpp>
#include <evencube/blocking.hpp>
#include <evencube/error.hpp>
#include <evencube/fork_join.hpp>
#include <evencube/future.hpp>
#include <evencube/hot_phase.hpp>
#include <evencube/hotness.hpp>
#include <evencube/observer.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_for_where.hpp>
#include <evencube/priority.hpp>
#include <evencube/promise.hpp>
#include <evencube/recording.hpp>
#include <evencube/region.hpp>
#include <evencube/run_for.hpp>
#include <evencube/runtime.hpp>
#include <evencube/statistics.hpp>
#include <evencube/task_group.hpp>
#include <evencube/this_task.hpp>
#include <evencube/when.hpp>
#include <evencube/where.hpp>
