#include "tasks/outside_pools.hpp"

namespace evencube::detail {

namespace {

std::atomic<std::size_t> threads_with_pools{0};
/// The number of the calling thread, from 1; 0 if it has none yet.
constinit thread_local std::size_t own_number = 0;

}  // namespace

pooled_block outside_pools::allocate(std::size_t size_class) {
  if (own_number == 0) own_number = 1 + threads_with_pools.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t attempt = 0; attempt < 2; ++attempt) {
    guarded_pool& here = pools_[(own_number + attempt) % pools_.size()];
    // Acquire: pairs with the release of the thread that used the pool before.
    if (here.in_use.exchange(true, std::memory_order_acquire)) continue;
    const struct turn {
      std::atomic<bool>& flag;
      ~turn() { flag.store(false, std::memory_order_release); }
    } mine{here.in_use};
    return {here.pool.allocate(size_class), &here.pool};
  }
  return {nullptr, nullptr};
}

}  // namespace evencube::detail
