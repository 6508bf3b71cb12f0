// After https://github.com/rayon-rs/rayon/issues/1251: eight iterations need the same table, and
// the first of them makes it by a loop. Where a worker that waits for the pieces of a table begins
// another iteration, that one may need the same table, so it waits for what is below it on its own
// stack. Here each table is a group of tasks, and a wait for a group runs nothing else.
#include <cstddef>
#include <deque>
#include <evencube/evencube.hpp>
#include <mutex>

#include "exhibits.hpp"
#include "work.hpp"

namespace {

struct table {
  explicit table(evencube::runtime& rt) : pieces(rt) {}
  std::once_flag begun;
  evencube::task_group pieces;
};

}  // namespace

void table_made_once() {
  evencube::runtime rt({.workers = 4});
  std::deque<table> tables;
  for (int i = 0; i < 125; ++i) tables.emplace_back(rt);
  rt.run([&] {
    evencube::parallel_for(0, 1000,
                           [&](int k) {
                             table& needed = tables[static_cast<std::size_t>(k / 8)];
                             std::call_once(needed.begun, [&] {
                               for (int i = 0; i < 16; ++i) needed.pieces.spawn(some_work);
                             });
                             needed.pieces.wait();
                             some_work();
                           },
                           {.grain = 1});
  });
}
