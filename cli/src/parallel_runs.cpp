#include "parallel_runs.hpp"

#include <evencube/evencube.hpp>

namespace evencube::cli {

void run_in_parallel(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body) {
  runtime_options options;
  options.workers = threads;
  runtime workers(options);
  // Bodies are long and uneven: each is offered to the others by itself.
  workers.run([&] { parallel_for(std::size_t{0}, count, body, {.grain = 1}); });
}

}  // namespace evencube::cli
