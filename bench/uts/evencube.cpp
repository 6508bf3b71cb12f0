#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

using bench::uts::node;
using bench::uts::tree;

std::uint64_t count(const tree& in, const node& from) {
  const std::size_t children = children_of(in, from);
  return 1 + bench::sum_in_parallel<std::uint64_t>(
                 0, children, [&](std::size_t i) { return count(in, child_of(from, i)); });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::uts::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::uts::measure(with, [&](const tree& in, const node& root) {
      return rt.run([&] { return count(in, root); });
    });
  });
}
