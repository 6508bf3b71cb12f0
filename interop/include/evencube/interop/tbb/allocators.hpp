#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace evencube::tbb {

/// The allocator of the program's own memory, from the malloc with which it is linked.
template <typename T>
using tbb_allocator = std::allocator<T>;
template <typename T>
using scalable_allocator = std::allocator<T>;

/// An allocator whose blocks share no cache line with others.
template <typename T>
struct cache_aligned_allocator {
  using value_type = T;

  cache_aligned_allocator() noexcept = default;
  template <typename U>
  explicit(false) cache_aligned_allocator(const cache_aligned_allocator<U>& /*other*/) noexcept {}

  /// Returns memory for `count` objects. Throws std::bad_alloc and std::bad_array_new_length.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > (static_cast<std::size_t>(-1) - line) / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return static_cast<T*>(::operator new(rounded(count), std::align_val_t{alignment}));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept {
    ::operator delete(memory, std::align_val_t{alignment});
  }
  template <typename U>
  bool operator==(const cache_aligned_allocator<U>& /*other*/) const noexcept {
    return true;
  }

 private:
  // Two lines of 64 bytes, because processors fetch them in pairs.
  static constexpr std::size_t line = 128;
  static constexpr std::size_t alignment = alignof(T) > line ? alignof(T) : line;
  static constexpr std::size_t rounded(std::size_t count) noexcept {
    return (count * sizeof(T) + line - 1) / line * line;
  }
};

}  // namespace evencube::tbb
