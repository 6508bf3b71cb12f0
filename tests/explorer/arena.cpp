#include "arena.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "address_sanitizer.hpp"

namespace evencube::explorer {

namespace {

constexpr std::size_t arena_bytes = std::size_t{1} << 23;
alignas(4096) constinit std::byte arena[arena_bytes];
constinit std::size_t used = 0;
constinit bool in_use = false;

void* take(std::size_t bytes, std::size_t alignment) {
  if (!in_use) {
    void* const memory =
        std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  const std::size_t begin = (used + alignment - 1) / alignment * alignment;
  if (begin + bytes > arena_bytes) {
    std::fputs("a run of the explorer took more memory than its arena has\n", stderr);
    std::abort();
  }
  used = begin + bytes;
  return arena + begin;
}

void give_back(void* memory) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto first = reinterpret_cast<std::uintptr_t>(&arena[0]);
  if (address - first >= arena_bytes) std::free(memory);
}

constexpr std::size_t ordinary = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

arena_scope::arena_scope(bool on) noexcept : outer_(in_use) { in_use = on; }
arena_scope::~arena_scope() { in_use = outer_; }

void reset_arena() noexcept {
#if defined(EVENCUBE_ADDRESS_SANITIZER)
  // The sanitizer guards the lengths of arrays, where the next run may have something else.
  __asan_unpoison_memory_region(arena, used);
#endif
  used = 0;
}

}  // namespace evencube::explorer

// The forms for arrays, too: a sanitizer's own would not come by here.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
void* operator new(std::size_t bytes) {
  return evencube::explorer::take(bytes, evencube::explorer::ordinary);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return evencube::explorer::take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { evencube::explorer::give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { evencube::explorer::give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  evencube::explorer::give_back(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  evencube::explorer::give_back(memory);
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void operator delete[](void* memory) noexcept { evencube::explorer::give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  evencube::explorer::give_back(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  evencube::explorer::give_back(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  evencube::explorer::give_back(memory);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
