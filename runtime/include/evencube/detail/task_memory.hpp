#pragma once

#include <cstddef>

#include <evencube/detail/block_pool.hpp>
#include <evencube/detail/frame_cache.hpp>

namespace evencube::detail {

/// Where a worker's tasks and coroutines get their memory, and where it goes back to. Used by the
/// worker alone.
class task_memory {
 public:
  /// The memory of tasks that this worker spawns comes from here.
  [[nodiscard]] block_pool& pool() noexcept { return pool_; }
  /// Gives a block back to the pool that it came from, at once or with the next batch.
  void free_block(void* memory, std::size_t size_class, block_pool& owner) noexcept {
    if (&owner == &pool_) {
      pool_.release(memory, size_class);
    } else {
      returns_.add(owner, memory, size_class);
    }
  }
  /// Sends back what waits for a batch. Call before the worker's thread sleeps or ends.
  void flush() noexcept { returns_.flush(); }

  /// Memory for the frames of coroutines.
  [[nodiscard]] frame_cache& coroutine_frames() noexcept { return coroutine_frames_; }

 private:
  block_pool pool_;
  block_returns returns_;
  frame_cache coroutine_frames_;
};

}  // namespace evencube::detail
