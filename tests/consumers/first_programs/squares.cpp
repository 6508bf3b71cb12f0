// A loop over indices, called from main.
#include <evencube/evencube.hpp>
#include <vector>

int main() {
  evencube::runtime rt;
  std::vector<double> values(10'000);
  evencube::parallel_for(rt, 0, values.size(), [&](std::size_t i) { values[i] = double(i) * i; });
  return values[100] == 10'000.0 ? 0 : 1;
}
