#include <atomic>
#include <taskflow/taskflow.hpp>

int main() {
  tf::Executor executor(2);
  std::atomic<int> visits{0};
  tf::Taskflow outer;
  for (int k = 0; k < 4; ++k) {
    outer.emplace([&] {
      tf::Taskflow inner;
      tf::Task first = inner.emplace([&] { ++visits; });
      tf::Task second = inner.emplace([&] { ++visits; });
      first.precede(second);
      executor.run(inner).wait();
    });
  }
  executor.run(outer).wait();
}
