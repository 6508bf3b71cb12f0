// What stdexec's test_tbb_thread_pool gets in place of oneTBB.
#pragma once

#include <exec/static_thread_pool.hpp>
#include <runtime_as_pool.hpp>

namespace experimental::execution::tbb {
using tbb_thread_pool = foreign::runtime_as_pool;
}  // namespace experimental::execution::tbb
