#include "parallel_runs.hpp"

#include <evencube/evencube.hpp>

#include "number_options.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {

void add_threads_option(CLI::App& command, unsigned& threads) {
  add_whole_number(command, "--threads", threads, {0, runtime_options::max_workers},
                   "Host threads, 0 for all; the results do not depend on it");
}

void run_in_parallel(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body) {
  runtime_options options;
  options.workers = threads;
  const auto workers = start_runtime(options);
  // Bodies are long and uneven: each is offered to the others by itself.
  workers->run([&] { parallel_for(std::size_t{0}, count, body, {.grain = 1}); });
}

}  // namespace evencube::cli
