#include "outside_pools.hpp"

namespace evencube::detail {

/// Weak: the runtime may be gone before the thread is. Its pools' address is not used again as long
/// as the lease lasts, for they share their memory with the count of references.
struct outside_pools::lease {
  std::weak_ptr<outside_pools> from;
  const outside_pools* whose = nullptr;
  block_pool* pool = nullptr;

  lease() = default;
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;
  ~lease() { end(); }

  void end() noexcept {
    if (const auto pools = from.lock()) pools->give_back(*pool);
    from.reset();
    whose = nullptr;
  }
};

block_pool& outside_pools::mine(const std::shared_ptr<outside_pools>& of) {
  static thread_local lease held;
  if (held.whose != of.get()) {
    held.end();
    held.pool = &of->take();
    held.whose = of.get();
    held.from = of;
  }
  return *held.pool;
}

block_pool& outside_pools::take() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    block_pool& pool = *free_.back();
    free_.pop_back();
    return pool;
  }
  free_.reserve(all_.size() + 1);
  all_.push_back(std::make_unique<block_pool>());
  return *all_.back();
}

void outside_pools::give_back(block_pool& pool) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(&pool);
}

}  // namespace evencube::detail
