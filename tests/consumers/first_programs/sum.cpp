// A sum over indices, and one with a pointer to a member.
#include <evencube/evencube.hpp>
#include <functional>

struct money {
  long cents = 0;
  money plus(money other) const { return {cents + other.cents}; }
};

int main() {
  evencube::runtime rt;
  const long sum =
      evencube::parallel_reduce(rt, 1, 101, 0L, [](int i) { return i; }, std::plus<>());
  const money total =
      evencube::parallel_reduce(rt, 0, 10, money{}, [](int i) { return money{i}; }, &money::plus);
  return sum == 5050 && total.cents == 45 ? 0 : 1;
}
