#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <evencube/detail/block_pool.hpp>

namespace evencube::detail {

/// Memory for the tasks that threads outside spawn: each leases a pool of the runtime until it ends
/// or spawns into another runtime. Thread-safe.
class outside_pools {
 public:
  /// The pool of the calling thread, which alone may allocate from it. Throws std::bad_alloc.
  static block_pool& mine(const std::shared_ptr<outside_pools>& of);

 private:
  struct lease;

  block_pool& take();
  void give_back(block_pool& pool) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<block_pool>> all_;
  std::vector<block_pool*> free_;  // has room for all
};

}  // namespace evencube::detail
