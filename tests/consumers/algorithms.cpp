// Another project that builds this next to the README's program: it uses the component of headers
// alone.
#include <evencube/algorithms.hpp>
#include <vector>

int main() {
  std::vector<int> numbers{3, 1, 2};
  evencube::runtime rt;
  evencube::parallel_sort(rt, numbers);
  return numbers == std::vector<int>{1, 2, 3} ? 0 : 1;
}
