#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <type_traits>

namespace evencube::tbb {

namespace detail {

/// The parts of an allocator that do not depend on its memory's source. All allocators made from
/// the same template are equal.
template <template <typename> typename Allocator, typename T>
struct stateless_allocator {
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  template <typename U>
  friend bool operator==(const Allocator<T>& /*a*/, const Allocator<U>& /*b*/) noexcept {
    return true;
  }
};

template <typename T>
[[nodiscard]] constexpr std::size_t most_objects(std::size_t extra = 0) noexcept {
  return (static_cast<std::size_t>(-1) - extra) / sizeof(T);
}

}  // namespace detail

/// An allocator that gets memory from the malloc that the program is linked with.
template <typename T>
struct tbb_allocator : detail::stateless_allocator<tbb_allocator, T> {
  enum malloc_type { scalable, standard };
  template <typename U>
  struct rebind {
    using other = tbb_allocator<U>;
  };

  tbb_allocator() noexcept = default;
  template <typename U>
  explicit(false) tbb_allocator(const tbb_allocator<U>& /*other*/) noexcept {}

  /// Returns memory for `count` objects. Throws std::bad_alloc and std::bad_array_new_length.
  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) noexcept {
    std::allocator<T>().deallocate(memory, count);
  }
  [[nodiscard]] std::size_t max_size() const noexcept { return detail::most_objects<T>(); }
  /// Returns `standard`, because the memory comes from malloc.
  [[nodiscard]] static malloc_type allocator_type() noexcept { return standard; }
};
template <>
struct tbb_allocator<void> : detail::stateless_allocator<tbb_allocator, void> {
  using pointer = void*;
  using const_pointer = const void*;
  template <typename U>
  struct rebind {
    using other = tbb_allocator<U>;
  };
};

/// `tbb_allocator` under the name of oneTBB's other allocator.
template <typename T>
struct scalable_allocator : detail::stateless_allocator<scalable_allocator, T> {
  template <typename U>
  struct rebind {
    using other = scalable_allocator<U>;
  };

  scalable_allocator() noexcept = default;
  template <typename U>
  explicit(false) scalable_allocator(const scalable_allocator<U>& /*other*/) noexcept {}

  /// Returns memory for `count` objects. Throws std::bad_alloc and std::bad_array_new_length.
  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) noexcept {
    std::allocator<T>().deallocate(memory, count);
  }
  [[nodiscard]] std::size_t max_size() const noexcept { return detail::most_objects<T>(); }
};
template <>
struct scalable_allocator<void> : detail::stateless_allocator<scalable_allocator, void> {
  using pointer = void*;
  using const_pointer = const void*;
  template <typename U>
  struct rebind {
    using other = scalable_allocator<U>;
  };
};

/// An allocator whose blocks share no cache line with other memory.
template <typename T>
struct cache_aligned_allocator : detail::stateless_allocator<cache_aligned_allocator, T> {
  template <typename U>
  struct rebind {
    using other = cache_aligned_allocator<U>;
  };

  cache_aligned_allocator() noexcept = default;
  template <typename U>
  explicit(false) cache_aligned_allocator(const cache_aligned_allocator<U>& /*other*/) noexcept {}

  /// Returns memory for `count` objects. Throws std::bad_alloc and std::bad_array_new_length.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > max_size()) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(rounded(count), std::align_val_t{alignment}));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept {
    ::operator delete(memory, std::align_val_t{alignment});
  }
  [[nodiscard]] std::size_t max_size() const noexcept { return detail::most_objects<T>(line); }

 private:
  // Two lines of 64 bytes, because processors fetch cache lines in pairs.
  static constexpr std::size_t line = 128;
  static constexpr std::size_t alignment = alignof(T) > line ? alignof(T) : line;
  static constexpr std::size_t rounded(std::size_t count) noexcept {
    return (count * sizeof(T) + line - 1) / line * line;
  }
};
template <>
struct cache_aligned_allocator<void> : detail::stateless_allocator<cache_aligned_allocator, void> {
  using pointer = void*;
  using const_pointer = const void*;
  template <typename U>
  struct rebind {
    using other = cache_aligned_allocator<U>;
  };
};

/// A memory resource whose blocks share no cache line with other memory.
class cache_aligned_resource : public std::pmr::memory_resource {
 public:
  cache_aligned_resource() : cache_aligned_resource(std::pmr::get_default_resource()) {}
  explicit cache_aligned_resource(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  [[nodiscard]] std::pmr::memory_resource* upstream_resource() const { return upstream_; }

 private:
  static constexpr std::size_t line = 128;
  static std::size_t rounded(std::size_t bytes) { return (bytes + line - 1) / line * line; }
  static std::size_t aligned(std::size_t alignment) { return alignment > line ? alignment : line; }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > static_cast<std::size_t>(-1) - line) throw std::bad_alloc();
    return upstream_->allocate(rounded(bytes), aligned(alignment));
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    upstream_->deallocate(memory, rounded(bytes), aligned(alignment));
  }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    const auto* const same = dynamic_cast<const cache_aligned_resource*>(&other);
    return same != nullptr && upstream_->is_equal(*same->upstream_);
  }

  std::pmr::memory_resource* upstream_;
};

/// Returns the memory resource of the program's operators new and delete.
inline std::pmr::memory_resource* scalable_memory_resource() noexcept {
  return std::pmr::new_delete_resource();
}

}  // namespace evencube::tbb
