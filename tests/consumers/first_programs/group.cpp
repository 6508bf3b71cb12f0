// Tasks that are waited for together; the exception of one arrives at the wait.
#include <atomic>
#include <evencube/evencube.hpp>
#include <stdexcept>
#include <string>

int main() {
  evencube::runtime rt;
  std::atomic<int> done{0};
  evencube::task_group group(rt);
  for (int i = 0; i < 100; ++i) group.spawn([&] { ++done; });
  group.wait();
  group.spawn([] { throw std::runtime_error("a file is missing"); });
  std::string said;
  try {
    group.wait();
  } catch (const std::runtime_error& problem) {
    said = problem.what();
  }
  return done == 100 && said == "a file is missing" ? 0 : 1;
}
