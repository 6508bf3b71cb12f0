#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace evencube::detail {

/// Frames of coroutines that a worker has freed and keeps for the next ones. Each frame is a block
/// of the heap by itself, because coroutines end on other workers than they began on, and frames
/// may outlive every runtime. Used by its worker alone.
class frame_cache {
 public:
  /// Larger frames are not kept.
  static constexpr std::size_t largest = 1024;

  frame_cache() = default;
  frame_cache(const frame_cache&) = delete;
  frame_cache& operator=(const frame_cache&) = delete;
  ~frame_cache() {
    for (kept& all : kept_) {
      while (void* const memory = pop(all)) ::operator delete(memory);
    }
  }

  /// The number of bytes that are allocated for a frame of `bytes` bytes, 1 to `largest`: rounded
  /// up.
  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + step - 1) / step * step;
  }

  /// Returns memory of `rounded(bytes)` bytes, or null if none is kept.
  void* take(std::size_t bytes) noexcept { return pop(kept_[class_of(bytes)]); }
  /// Keeps the memory of a frame of `bytes` bytes. Returns false if enough of this size is kept
  /// already.
  bool keep(void* memory, std::size_t bytes) noexcept {
    kept& all = kept_[class_of(bytes)];
    if (all.count == most) return false;
    all.first = ::new (memory) block{all.first};
    ++all.count;
    return true;
  }

 private:
  static constexpr std::size_t step = 64;
  static constexpr std::uint32_t most = 256;

  struct block {
    block* next;
  };
  struct kept {
    block* first = nullptr;
    std::uint32_t count = 0;
  };

  static constexpr std::size_t class_of(std::size_t bytes) noexcept { return (bytes - 1) / step; }
  static void* pop(kept& all) noexcept {
    block* const taken = all.first;
    if (taken == nullptr) return nullptr;
    all.first = taken->next;
    --all.count;
    return taken;
  }

  std::array<kept, largest / step> kept_{};
};

}  // namespace evencube::detail
