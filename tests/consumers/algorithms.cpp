// Another project that builds this next to the README's program: it uses the component of headers
// alone, and what the libraries export for options and topologies.
#include <algorithm>
#include <cstddef>
#include <evencube/algorithms.hpp>
#include <evencube/balancers/options.hpp>
#include <vector>

namespace {

template <typename... Options>
bool all_have_words() {
  return std::min({evencube::balancer_options(Options{}).size()...}) > 0;
}

}  // namespace

int main() {
  std::vector<int> numbers{3, 1, 2};
  evencube::runtime rt({.balancer = evencube::balancers::dem{}});
  evencube::parallel_sort(rt, numbers);
  const bool words =
      all_have_words<evencube::dem_options, evencube::oem_options, evencube::cwa_options,
                     evencube::hybrid_options, evencube::diffusion_options,
                     evencube::matching_options, evencube::gradient_options,
                     evencube::sender_initiated_options, evencube::receiver_initiated_options,
                     evencube::dispatcher_options, evencube::prediction_options,
                     evencube::rotate_options, evencube::random_options>();
  const bool same = evencube::topology::cube(8) == evencube::topology::cube(8);
  return numbers == std::vector<int>{1, 2, 3} && words && same ? 0 : 1;
}
