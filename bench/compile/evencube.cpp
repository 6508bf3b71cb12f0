// What `bench/include` compiles: a little of each thing that most programs use. Its twin is
// tbb.cpp.
#include <evencube/evencube.hpp>

namespace bench {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  long left = 0;
  long right = 0;
  evencube::fork_join([&] { left = fib(n - 1); }, [&] { right = fib(n - 2); });
  return left + right;
}

void scale(double* values, std::size_t count) {
  evencube::parallel_for(std::size_t{0}, count, [=](std::size_t i) { values[i] *= 2; });
}

long in_the_background(evencube::runtime& rt) {
  long result = 0;
  evencube::task_group group{rt};
  group.spawn([&] { result = fib(20); });
  group.wait();
  return result;
}

}  // namespace bench
