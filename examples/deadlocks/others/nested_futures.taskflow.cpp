#include <taskflow/taskflow.hpp>

namespace {

long fibonacci(tf::Executor& executor, int n) {
  if (n < 2) return n;
  auto left = executor.async([&executor, n] { return fibonacci(executor, n - 1); });
  auto right = executor.async([&executor, n] { return fibonacci(executor, n - 2); });
  return left.get() + right.get();
}

}  // namespace

int main() {
  tf::Executor executor(2);
  executor.async([&] { return fibonacci(executor, 16); }).get();
}
