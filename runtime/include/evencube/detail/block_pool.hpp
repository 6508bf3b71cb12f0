#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/treiber_stack.hpp>

namespace evencube::detail {

/// Memory for spawned tasks: blocks of 64, 128 or 256 bytes, cut from chunks and kept for reuse.
/// There is one pool for each worker. Its owner allocates without atomics. Blocks freed by other
/// workers come back in batches, through a stack that is only ever emptied as a whole (so it has no
/// ABA problem). Eight blocks travel together: one of them has the addresses of the other seven. So
/// only one of the eight is read across processors, and the others can be prefetched.
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

  /// Returns a block of the class, aligned to 64. Owner only. Throws std::bad_alloc.
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

  /// A freed block that holds the addresses of other free blocks of its pool and class. Null stands
  /// for none.
  struct crate {
    static constexpr unsigned room = 7;

    crate* next;
    std::array<void*, room> others;
  };
  static_assert(sizeof(crate) <= 64, "it must fit into the smallest block");

  /// Gives back a chain of crates of this pool. Any thread.
  void take_back(std::size_t size_class, crate* first, crate* last) noexcept {
    returned_[size_class].push(first, last);
  }
  /// Gives back a single block. Any thread.
  void take_back(std::size_t size_class, void* memory) noexcept {
    auto* const one = ::new (memory) crate{};
    take_back(size_class, one, one);
  }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 16;

  struct alignas(64) line {
    std::byte bytes[64];
  };

  struct block {
    block* next;
  };
  /// The blocks that came back and have not been used again yet.
  struct shelf {
    crate* crates = nullptr;       // not opened yet
    unsigned taken = crate::room;  // taken from `blocks`, those of the crate opened last
    std::array<void*, crate::room> blocks;
  };

  EVENCUBE_EXPORT void* refill(std::size_t size_class);

  std::array<block*, classes> free_{};
  std::array<shelf, classes> shelves_{};
  std::vector<std::unique_ptr<line[]>> chunks_;
  line* bump_ = nullptr;
  line* bump_end_ = nullptr;
  alignas(128) std::array<treiber_stack<crate>, classes> returned_{};
};

/// A block, and the pool to which it must go back.
struct pooled_block {
  void* memory;
  block_pool* from;
};

/// Blocks of other workers' pools that this worker has freed. They are sent back a batch at a time.
class block_returns {
 public:
  void add(block_pool& owner, void* memory, std::size_t size_class) noexcept {
    if (owner_ != &owner || size_class_ != size_class) {
      flush();
      owner_ = &owner;
      size_class_ = size_class;
    }
    if (loose_ < block_pool::crate::room) {
      blocks_[loose_++] = memory;
    } else {
      pack(memory);
      if (crates_ == batch) flush();
    }
  }
  void flush() noexcept {
    if (loose_ != 0) pack(blocks_[--loose_]);
    if (crates_ == 0) return;
    owner_->take_back(size_class_, first_, last_);
    first_ = nullptr;
    crates_ = 0;
  }

 private:
  static constexpr unsigned batch = 8;

  void pack(void* memory) noexcept {
    first_ = ::new (memory) block_pool::crate{first_, {}};
    for (unsigned i = 0; i < loose_; ++i) first_->others[i] = blocks_[i];
    if (crates_++ == 0) last_ = first_;
    loose_ = 0;
  }

  block_pool* owner_ = nullptr;
  block_pool::crate* first_ = nullptr;
  block_pool::crate* last_ = nullptr;
  std::size_t size_class_ = 0;
  unsigned crates_ = 0;
  unsigned loose_ = 0;
  std::array<void*, block_pool::crate::room> blocks_;
};

}  // namespace evencube::detail
