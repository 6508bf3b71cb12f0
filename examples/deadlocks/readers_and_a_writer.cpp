// After https://github.com/rayon-rs/rayon/issues/1205: tasks hold a lock to read while they run a
// loop, a writer waits for the lock, and further readers wait behind the writer. Where a reader
// begins another reader while it waits for its loop, it waits for the writer, and that for it.
#include <evencube/evencube.hpp>

#include "exhibits.hpp"
#include "fair_lock.hpp"
#include "work.hpp"

void readers_and_a_writer() {
  evencube::runtime rt({.workers = 4});
  fair_lock lock;
  rt.run([&] {
    evencube::parallel_for(0, 1000,
                           [&](int k) {
                             some_work();
                             if (k % 8 == 0) {
                               evencube::blocking([&] { lock.lock(); });
                               lock.unlock();
                             } else if (k % 8 == 1) {
                               evencube::blocking([&] { lock.lock_shared(); });
                               evencube::parallel_for(0, 16, [](int) { some_work(); },
                                                      {.grain = 1});
                               lock.unlock_shared();
                             }
                           },
                           {.grain = 1});
  });
}
