#include <taskflow/taskflow.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

#include "../work.hpp"

int main() {
  tf::Executor executor(4);
  std::vector<std::once_flag> made(125);
  tf::Taskflow loop;
  for (int k = 0; k < 1000; ++k) {
    loop.emplace([&, k] {
      std::call_once(made[static_cast<std::size_t>(k / 8)], [&] {
        tf::Taskflow pieces;
        for (int i = 0; i < 16; ++i) pieces.emplace(some_work);
        executor.corun(pieces);
      });
      some_work();
    });
  }
  executor.run(loop).wait();
}
