// Coroutines. Steps that wait for each other are written one after another, and no thread blocks.
// Each order asks two services, which answer later; all workers process orders at once.
#include <cstdio>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

evencube::task<int> price_of(evencube::runtime& rt, std::string what) {
  // A task for the answer, and a future for it. Until the answer is there, the worker runs other
  // tasks.
  auto answer = rt.async([what = std::move(what)] { return static_cast<int>(what.size()); });
  co_return co_await answer;
}

evencube::task<int> pieces_in_stock(int order) { co_return order % 3; }

evencube::task<int> handle(evencube::runtime& rt, int order) {
  // Both services work at the same time.
  const auto [price, pieces] =
      co_await evencube::when_all(price_of(rt, "a cube"), pieces_in_stock(order));
  co_return price* pieces;
}

evencube::task<int> handle_all(evencube::runtime& rt, int orders) {
  std::vector<evencube::task<int>> all;
  for (int order = 0; order < orders; ++order) all.push_back(handle(rt, order));
  int sum = 0;
  for (const int one : co_await evencube::when_all(std::move(all))) sum += one;
  co_return sum;
}

}  // namespace

int main() {
  evencube::runtime rt;
  const int sum = evencube::sync_wait(rt, handle_all(rt, 300));
  std::printf("300 orders: %d\n", sum);

  // The coroutine as a future, next to other work.
  auto later = evencube::start(rt, handle_all(rt, 3));
  return sum == 6 * 300 && later.get() == 6 * 3 ? 0 : 1;
}
