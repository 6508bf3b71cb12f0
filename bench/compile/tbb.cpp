// What `bench/include` compiles: a little of each thing that most programs use. Its twin is
// evencube.cpp.
#include <tbb/tbb.h>

namespace bench {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  long left = 0;
  long right = 0;
  tbb::parallel_invoke([&] { left = fib(n - 1); }, [&] { right = fib(n - 2); });
  return left + right;
}

void scale(double* values, std::size_t count) {
  tbb::parallel_for(std::size_t{0}, count, [=](std::size_t i) { values[i] *= 2; });
}

long in_the_background() {
  long result = 0;
  tbb::task_group group;
  group.run([&] { result = fib(20); });
  group.wait();
  return result;
}

}  // namespace bench
