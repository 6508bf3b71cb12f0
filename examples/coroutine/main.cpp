// Coroutines: what waits for what is written down one line after another, and nobody blocks. Each
// order asks two services, which answer later; the orders are looked at by all workers at once.
#include <cstdio>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

evencube::task<int> price_of(evencube::runtime& rt, std::string what) {
  // Somebody else's work, and a future for it: until it is there the worker does other things.
  auto answer = rt.async([what = std::move(what)] { return static_cast<int>(what.size()); });
  co_return co_await answer;
}

evencube::task<int> pieces_in_stock(int order) { co_return order % 3; }

evencube::task<int> handle(evencube::runtime& rt, int order) {
  // Both at the same time.
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

  // Or as a future, beside other work.
  auto later = evencube::start(rt, handle_all(rt, 3));
  return sum == 6 * 300 && later.get() == 6 * 3 ? 0 : 1;
}
