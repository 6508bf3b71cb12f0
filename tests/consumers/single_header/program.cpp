// A source that only includes the header.
#include "evencube_single.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [left, right] =
      evencube::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return left + right;
}

evencube::task<long> sum_of_two(evencube::runtime& rt) {
  auto smaller = rt.async([] { return fib(15); });
  const long larger = co_await rt.async([] { return fib(16); });
  co_return larger + co_await smaller;
}

std::vector<long> squares(evencube::runtime& rt) {
  std::vector<long> made(1000);
  rt.run([&] {
    evencube::parallel_for(
        0, 1000, [&](int i) { made[static_cast<std::size_t>(i)] = static_cast<long>(i) * i; });
  });
  return made;
}

long spawned(evencube::runtime& rt) {
  std::atomic<long> ran{0};
  evencube::task_group group(rt);
  for (int i = 0; i < 100; ++i) group.spawn([&] { ++ran; });
  group.wait();
  return ran;
}

// The loads that a planned round leaves where one worker had all of 16 tasks.
std::string after_one_round(evencube::runtime& rt) {
  std::string loads;
  evencube::task_group group(rt);
  {
    evencube::hold_guard still = rt.hold();
    for (int i = 0; i < 16; ++i) group.spawn([] {}, {.home = 0});
    static_cast<void>(still.balance());
    for (const auto load : still.loads()) loads += ' ' + std::to_string(load);
  }
  group.wait();
  return loads;
}

}  // namespace

int main() {
  evencube::runtime rt({.workers = 4, .balancer = "oem"});
  std::printf("fork_join %ld\n", rt.run([] { return fib(20); }));
  std::printf("coroutine %ld\n", evencube::start(rt, sum_of_two(rt)).get());
  std::vector<long> numbers = squares(rt);
  std::printf("reduce %ld\n",
              evencube::parallel_reduce(
                  rt, 0, 1000, 0L, [&](int i) { return numbers[static_cast<std::size_t>(i)]; },
                  std::plus<>{}));
  std::printf("group %ld\n", spawned(rt));
  evencube::parallel_sort(rt, numbers, std::greater<>{});
  std::printf("sorted %s\n", std::is_sorted(numbers.rbegin(), numbers.rend()) ? "yes" : "no");
  std::printf("oem%s\n", after_one_round(rt).c_str());
  std::printf("version %s\n", std::string(evencube::version).c_str());
}
