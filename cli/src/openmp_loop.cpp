#include <exception>
#include <mutex>

#include "engine_loops.hpp"

namespace evencube::cli {

workloads::task_loop openmp_loop(unsigned threads) {
  return [threads](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    // No exception may leave a loop of OpenMP: the first is thrown again after it.
    std::exception_ptr failure;
    std::mutex lock;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::size_t index = 0; index < tasks; ++index) {
      try {
        task(index);
      } catch (...) {
        const std::lock_guard guard(lock);
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  };
}

}  // namespace evencube::cli
