// stdexec's own pool, which is also behind its parallel scheduler unless that is replaced.
#include <exec/static_thread_pool.hpp>

#include "config.hpp"

int main(int argc, char** argv) {
  const bench::engine on_stdexec{"stdexec"};
  return bench::main_of(bench::senders::about, on_stdexec, argc, argv, [](auto& with) {
    exec::static_thread_pool pool(with.workers());
    return bench::senders::measure(with, pool.get_scheduler());
  });
}
