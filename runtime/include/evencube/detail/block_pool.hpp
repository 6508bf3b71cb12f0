#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/chain_stack.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// Memory for spawned tasks: blocks of 64, 128 or 256 bytes, cut from chunks and kept for reuse.
/// One pool per worker. Its owner allocates without atomics; blocks freed by others come back in
/// batches through a stack that is only ever emptied whole (so it has no ABA problem).
class block_pool {
 public:
  static constexpr std::size_t classes = 3;
  static constexpr std::size_t largest = 256;

  block_pool() = default;
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  ~block_pool() = default;

  static constexpr std::size_t class_of(std::size_t bytes) noexcept {
    return bytes <= 64 ? 0 : bytes <= 128 ? 1 : 2;
  }

  /// A block of the class, aligned to 64. Owner only. Throws std::bad_alloc.
  void* allocate(std::size_t size_class) {
    block*& free = free_[size_class];
    if (free == nullptr) [[unlikely]] {
      return refill(size_class);
    }
    block* const taken = free;
    free = taken->next;
    return taken;
  }

  /// Gives back a block of this pool. Owner only.
  void release(void* memory, std::size_t size_class) noexcept {
    free_[size_class] = ::new (memory) block{free_[size_class]};
  }

  struct block {
    block* next;
  };

  /// Gives back a chain of blocks of this pool, or a single one. Any thread.
  void take_back(std::size_t size_class, block* first, block* last) noexcept {
    returned_[size_class].push(first, last);
  }
  void take_back(std::size_t size_class, void* memory) noexcept {
    auto* const one = ::new (memory) block{nullptr};
    take_back(size_class, one, one);
  }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 16;

  struct alignas(64) line {
    std::byte bytes[64];
  };

  EVENCUBE_EXPORT void* refill(std::size_t size_class);

  std::array<block*, classes> free_{};
  std::vector<std::unique_ptr<line[]>> chunks_;
  line* bump_ = nullptr;
  line* bump_end_ = nullptr;
  alignas(128) std::array<chain_stack<block>, classes> returned_{};
};

/// A block, and the pool that it is to go back to.
struct pooled_block {
  void* memory;
  block_pool* from;
};

/// Blocks of other workers' pools that this worker has freed: sent back a batch at a time.
class block_returns {
 public:
  void add(block_pool& owner, void* memory, std::size_t size_class) noexcept {
    if (owner_ != &owner || size_class_ != size_class || count_ == batch) flush();
    first_ = ::new (memory) block_pool::block{first_};
    if (count_++ == 0) {
      last_ = first_;
      owner_ = &owner;
      size_class_ = size_class;
    }
  }
  void flush() noexcept {
    if (count_ == 0) return;
    owner_->take_back(size_class_, first_, last_);
    first_ = nullptr;
    count_ = 0;
  }

 private:
  static constexpr unsigned batch = 64;

  block_pool* owner_ = nullptr;
  block_pool::block* first_ = nullptr;
  block_pool::block* last_ = nullptr;
  std::size_t size_class_ = 0;
  unsigned count_ = 0;
};

}  // namespace evencube::detail
