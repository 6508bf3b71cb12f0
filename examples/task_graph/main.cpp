// A graph of tasks that is made once and run for every order: what has to wait for what, one branch
// that is taken only sometimes, and the picture that Graphviz draws of it.
#include <cstdio>
#include <evencube/evencube.hpp>
#include <evencube/task_graph.hpp>

namespace {

struct order {
  int quantity = 0;
  int price = 0;
  int discount = 0;
  int total = 0;
};

}  // namespace

int main() {
  evencube::runtime rt;
  order now;

  evencube::task_graph graph;
  const auto price = graph.add([&] { now.price = 5; }, "look up the price");
  const auto large = graph.add([&] { return now.quantity >= 100; }, "is it a large order?");
  const auto discount = graph.add([&] { now.discount = now.quantity; }, "work out the discount");
  const auto none = graph.add([&] { now.discount = 0; }, "no discount");
  const auto bill =
      graph.add([&] { now.total = now.quantity * now.price - now.discount; }, "write the bill");
  graph.precede(large, discount, true);
  graph.precede(large, none, false);
  graph.precede(price, bill);
  graph.precede(discount, bill);  // only one of the two is called; what comes after both
  graph.precede(none, bill);      // goes on after that one

  std::fputs(graph.to_dot().c_str(), stdout);
  int sum = 0;
  for (const int quantity : {3, 100}) {
    now.quantity = quantity;
    graph.run(rt);
    std::printf("%d pieces: %d\n", now.quantity, now.total);
    sum += now.total;
  }
  return sum == 15 + 400 ? 0 : 1;
}
