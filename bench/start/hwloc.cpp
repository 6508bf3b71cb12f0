#include <hwloc.h>

#include "config.hpp"

// What a runtime that knows the machine cannot do without: hwloc reads it.
int main(int argc, char** argv) {
  return bench::main_of(bench::start::about, {"hwloc"}, argc, argv, [](auto& with) {
    return bench::start::measure(with, [](std::size_t n, std::size_t& sum) {
      hwloc_topology_t found = nullptr;
      const double seconds = bench::timed([&] {
        if (hwloc_topology_init(&found) == 0) hwloc_topology_load(found);
      });
      hwloc_topology_destroy(found);
      sum = n * (n - 1) / 2;
      return seconds;
    });
  });
}
