#include <cstdio>
#include <evencube/algorithms.hpp>
#include <evencube/evencube.hpp>
#include <evencube/version.hpp>
#include <vector>

int main() {
  std::vector<int> numbers{3, 1, 2};
  evencube::runtime rt;
  evencube::parallel_sort(rt, numbers);
  std::printf("EvenCube %.*s\n", static_cast<int>(evencube::version.size()),
              evencube::version.data());
  return numbers == std::vector<int>{1, 2, 3} ? 0 : 1;
}
