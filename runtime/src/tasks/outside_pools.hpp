#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include <evencube/detail/block_pool.hpp>

namespace evencube::detail {

/// Memory for the tasks that threads outside spawn: a few pools that they take turns to use.
/// Nothing is kept for a thread, so that it may end, or outlive the runtime or the library, as it
/// likes. Thread-safe.
class outside_pools {
 public:
  /// Nothing, with no pool, if others use all that were tried. Throws std::bad_alloc.
  pooled_block allocate(std::size_t size_class);

 private:
  struct alignas(128) guarded_pool {
    std::atomic<bool> in_use{false};
    block_pool pool;
  };

  std::array<guarded_pool, 8> pools_;
};

}  // namespace evencube::detail
