#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

using bench::uts::node;
using bench::uts::tree;

std::uint64_t count(const tree& in, const node& from) {
  const std::size_t children = children_of(in, from);
  if (children == 0) return 1;
  bench::uts::results below(children);
  tbb::task_group group;
  for (std::size_t i = 0; i < children; ++i) {
    group.run([&below, &in, &from, i] { below[i] = count(in, child_of(from, i)); });
  }
  group.wait();
  return 1 + below.sum();
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::uts::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::uts::measure(with, [&](const tree& in, const node& root) {
      std::uint64_t nodes = 0;
      threads.run([&] { nodes = count(in, root); });
      return nodes;
    });
  });
}
