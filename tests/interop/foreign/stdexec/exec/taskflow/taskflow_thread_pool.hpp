// What stdexec's test_taskflow_thread_pool gets in place of Taskflow.
#pragma once

#include <exec/static_thread_pool.hpp>
#include <runtime_as_pool.hpp>

namespace experimental::execution::taskflow {
using taskflow_thread_pool = foreign::runtime_as_pool;
}  // namespace experimental::execution::taskflow
