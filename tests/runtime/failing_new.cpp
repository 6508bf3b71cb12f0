#include "failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace evencube::test {
namespace {

// Read and written by every thread of the program, before main, too: no constructors.
constinit std::atomic<bool> armed{false};
constinit std::atomic<bool> only_one{true};
constinit std::atomic<std::int64_t> left{0};
constinit std::atomic<bool> failed{false};

bool fails_now() noexcept {
  if (!armed.load()) return false;
  const std::int64_t before = left.fetch_sub(1);
  if (before > 0 || (before < 0 && only_one.load())) return false;
  failed = true;
  return true;
}

}  // namespace

void failing_new::begin(std::uint64_t nth, kind which) noexcept {
  left = static_cast<std::int64_t>(nth);
  only_one = which == kind::one;
  failed = false;
  armed = true;
}

bool failing_new::end() noexcept {
  armed = false;
  return failed;
}

}  // namespace evencube::test

namespace {

constexpr std::size_t usual_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

// Not by std::aligned_alloc, which Windows does not have. What is to be freed stands in front.
void* allocate_aligned(std::size_t size, std::size_t alignment) noexcept {
  static_assert(usual_alignment >= sizeof(void*));
  auto* const begin = static_cast<std::byte*>(std::malloc(size + alignment));
  if (begin == nullptr) return nullptr;
  std::byte* const memory =
      begin + (alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment);
  std::memcpy(memory - sizeof begin, &begin, sizeof begin);
  return memory;
}

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = nullptr;
  if (!evencube::test::fails_now()) {
    const std::size_t least = size == 0 ? 1 : size;
    memory = alignment <= usual_alignment ? std::malloc(least) : allocate_aligned(least, alignment);
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory, std::align_val_t alignment) noexcept {
  if (memory != nullptr && static_cast<std::size_t>(alignment) > usual_alignment) {
    std::memcpy(&memory, static_cast<std::byte*>(memory) - sizeof memory, sizeof memory);
  }
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return allocate(size, 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t alignment) noexcept {
  release(memory, alignment);
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  release(memory, alignment);
}
