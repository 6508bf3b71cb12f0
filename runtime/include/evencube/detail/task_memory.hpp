#pragma once

#include <cstddef>

#include <evencube/detail/block_pool.hpp>
#include <evencube/detail/frame_cache.hpp>

namespace evencube::detail {

/// The memory for a worker's tasks and coroutines, and its way back. Used by the worker alone.
class task_memory {
 public:
  /// The pool from which the tasks get memory that this worker spawns.
  [[nodiscard]] block_pool& pool() noexcept { return pool_; }
  /// Gives a block back to the pool that it came from, at once or with the next batch.
  void free_block(void* memory, std::size_t size_class, block_pool& owner) noexcept {
    if (&owner == &pool_) {
      pool_.release(memory, size_class);
    } else {
      returns_.add(owner, memory, size_class);
    }
  }
  /// Sends back the blocks that wait for a batch. Call before the worker's thread sleeps or ends.
  void flush() noexcept { returns_.flush(); }

  /// The memory for frames of coroutines.
  [[nodiscard]] frame_cache& coroutine_frames() noexcept { return coroutine_frames_; }

 private:
  block_pool pool_;
  block_returns returns_;
  frame_cache coroutine_frames_;
};

}  // namespace evencube::detail
