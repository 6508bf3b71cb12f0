// The museum of deadlocks. Without arguments all exhibits run, one after the other; with the name
// of one, that one alone. `./dev museum` runs them next to their twins on other libraries.
#include <cstdio>
#include <cstring>

#include "exhibits.hpp"

namespace {

struct exhibit {
  const char* name;
  void (*run)();
};

constexpr exhibit exhibits[] = {
    {"condition_of_a_queued_task", &condition_of_a_queued_task},
    {"first_fork", &first_fork},
    {"full_arena", &full_arena},
    {"graph_in_a_task", &graph_in_a_task},
    {"group_of_another_thread", &group_of_another_thread},
    {"lock_over_a_loop", &lock_over_a_loop},
    {"nested_futures", &nested_futures},
    {"readers_and_a_writer", &readers_and_a_writer},
    {"sync_wait_in_the_pool", &sync_wait_in_the_pool},
    {"table_made_once", &table_made_once},
};

}  // namespace

int main(int argc, char** argv) {
  int found = 0;
  for (const exhibit& one : exhibits) {
    if (argc > 1 && std::strcmp(argv[1], one.name) != 0) continue;
    one.run();
    std::printf("%s has ended\n", one.name);
    ++found;
  }
  if (found == 0) std::fprintf(stderr, "there is no exhibit %s\n", argv[1]);
  return found == 0 ? 2 : 0;
}
