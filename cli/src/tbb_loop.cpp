#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>

#include "engine_loops.hpp"

namespace evencube::cli {

workloads::task_loop tbb_loop(unsigned threads) {
  // Lets there be more threads than units, where the user asks for that.
  auto limit =
      std::make_shared<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
  auto arena = std::make_shared<tbb::task_arena>(static_cast<int>(threads));
  return [limit, arena](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    arena->execute([&] {
      tbb::parallel_for(std::size_t{0}, tasks, std::size_t{1}, task, tbb::simple_partitioner{});
    });
  };
}

}  // namespace evencube::cli
