#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include <evencube/detail/block_pool.hpp>

namespace evencube::detail {

/// Memory for tasks that threads outside spawn: a few pools that these threads share. Nothing is
/// stored for a thread, so a thread may end, or outlive the runtime or the library. Thread-safe.
class outside_pools {
 public:
  /// Returns null, without a pool, if other threads use all pools that were tried. Throws
  /// std::bad_alloc.
  pooled_block allocate(std::size_t size_class);

 private:
  struct alignas(128) guarded_pool {
    std::atomic<bool> in_use{false};
    block_pool pool;
  };

  std::array<guarded_pool, 8> pools_;
};

}  // namespace evencube::detail
