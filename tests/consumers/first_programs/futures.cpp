// Futures, one after another and several at once.
#include <evencube/evencube.hpp>
#include <string>
#include <tuple>
#include <utility>

int main() {
  evencube::runtime rt;
  auto length = rt.async([] { return std::string("hypercube"); }).then(&std::string::size);
  auto both = evencube::when_all(std::move(length), rt.async([] { return 33; }));
  auto [first, second] = both.get();
  return static_cast<int>(first.get()) + second.get() == 42 ? 0 : 1;
}
