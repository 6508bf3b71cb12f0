#include "../common/on_serial.hpp"
#include "config.hpp"

namespace {

using bench::uts::node;
using bench::uts::tree;

std::uint64_t count(const tree& in, const node& from) { return bench::uts::count_nodes(in, from); }

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::uts::about, bench::on_serial, argc, argv,
                        [](auto& with) { return bench::uts::measure(with, count); });
}
