// What stdexec's test_task_scheduler gets in place of a thread with a queue: a runtime of one
// worker.
#pragma once

#include <runtime_as_pool.hpp>
#include <stdexec/execution.hpp>
#include <thread>

namespace experimental::execution {

class single_thread_context : public foreign::runtime_as_pool {
 public:
  single_thread_context() : foreign::runtime_as_pool(1) {}

  /// Returns the thread of the worker, which a task asks for.
  [[nodiscard]] std::thread::id get_thread_id() {
    auto asked = stdexec::sync_wait(stdexec::schedule(get_scheduler()) |
                                    stdexec::then([] { return std::this_thread::get_id(); }));
    return std::get<0>(asked.value());
  }
};

}  // namespace experimental::execution

namespace exec = experimental::execution;
