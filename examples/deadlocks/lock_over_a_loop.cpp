// After https://github.com/rayon-rs/rayon/issues/592: some iterations hold a lock while they run a
// loop of their own. Where a worker that waits for the inner loop begins any other task, it may
// begin another such iteration and ask for the lock that it has itself.
#include <evencube/evencube.hpp>
#include <mutex>

#include "exhibits.hpp"
#include "work.hpp"

void lock_over_a_loop() {
  evencube::runtime rt({.workers = 4});
  std::mutex lock;
  rt.run([&] {
    evencube::parallel_for(0, 1000,
                           [&](int k) {
                             some_work();
                             if (k % 8 != 0) return;
                             evencube::blocking([&] { lock.lock(); });
                             const std::lock_guard holding(lock, std::adopt_lock);
                             evencube::parallel_for(0, 16, [](int) { some_work(); }, {.grain = 1});
                           },
                           {.grain = 1});
  });
}
