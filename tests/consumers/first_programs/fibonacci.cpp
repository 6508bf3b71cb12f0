// Recursion by forks.
#include <evencube/evencube.hpp>

long fib(int n) {
  if (n < 2) return n;
  const auto [left, right] =
      evencube::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return left + right;
}

int main() {
  evencube::runtime rt;
  return rt.run([] { return fib(20); }) == 6765 ? 0 : 1;
}
