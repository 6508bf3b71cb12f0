// After https://github.com/taskflow/taskflow/issues/575 and
// https://github.com/David-Haim/concurrencpp/issues/61: a task starts two others and gets their
// results. Where `get` only blocks, all threads soon wait for tasks that nobody is left to run.
#include <evencube/evencube.hpp>

#include "exhibits.hpp"

namespace {

long fibonacci(evencube::runtime& rt, int n) {
  if (n < 2) return n;
  auto left = rt.async([&rt, n] { return fibonacci(rt, n - 1); });
  auto right = rt.async([&rt, n] { return fibonacci(rt, n - 2); });
  return left.get() + right.get();
}

}  // namespace

void nested_futures() {
  evencube::runtime rt({.workers = 2});
  rt.async([&] { return fibonacci(rt, 16); }).get();
}
