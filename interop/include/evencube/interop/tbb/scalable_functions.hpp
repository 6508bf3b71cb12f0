#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" std::size_t malloc_usable_size(void* memory) noexcept;  // of <malloc.h>

// These functions replace oneTBB's version functions and the C functions of its allocator; the
// latter use the program's own allocator. All have hidden visibility: other users of libtbb or
// libtbbmalloc in the process keep the libraries' functions.
#define EVENCUBE_HIDDEN extern "C" __attribute__((visibility("hidden"))) inline

EVENCUBE_HIDDEN void* scalable_malloc(std::size_t size) { return std::malloc(size); }
EVENCUBE_HIDDEN void scalable_free(void* memory) { std::free(memory); }
EVENCUBE_HIDDEN void* scalable_realloc(void* memory, std::size_t size) {
  if (memory != nullptr && size == 0) {
    std::free(memory);
    return nullptr;
  }
  return std::realloc(memory, size);
}
EVENCUBE_HIDDEN void* scalable_calloc(std::size_t count, std::size_t size) {
  return std::calloc(count, size);
}
EVENCUBE_HIDDEN int scalable_posix_memalign(void** memory, std::size_t alignment,
                                            std::size_t size) {
  return ::posix_memalign(memory, alignment, size);
}
EVENCUBE_HIDDEN void* scalable_aligned_malloc(std::size_t size, std::size_t alignment) {
  void* memory = nullptr;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || size == 0) {
    errno = EINVAL;
    return nullptr;
  }
  const int failure =
      ::posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, size);
  if (failure != 0) errno = failure;
  return failure == 0 ? memory : nullptr;
}
EVENCUBE_HIDDEN void scalable_aligned_free(void* memory) { std::free(memory); }
EVENCUBE_HIDDEN std::size_t scalable_msize(void* memory) {
  if (memory != nullptr) return ::malloc_usable_size(memory);
  errno = EINVAL;
  return 0;
}
EVENCUBE_HIDDEN void* scalable_aligned_realloc(void* memory, std::size_t size,
                                               std::size_t alignment) {
  if (memory == nullptr) return scalable_aligned_malloc(size, alignment);
  if (size == 0) {
    std::free(memory);
    return nullptr;
  }
  void* const moved = scalable_aligned_malloc(size, alignment);
  if (moved == nullptr) return nullptr;
  const std::size_t before = scalable_msize(memory);
  std::memcpy(moved, memory, before < size ? before : size);
  std::free(memory);
  return moved;
}
/// Does nothing: settings of oneTBB's allocator have no effect.
EVENCUBE_HIDDEN int scalable_allocation_mode(int /*mode*/, std::intptr_t /*value*/) {
  return 4;  // TBBMALLOC_NO_EFFECT
}
EVENCUBE_HIDDEN int scalable_allocation_command(int /*command*/, void* /*argument*/) {
  return 4;  // TBBMALLOC_NO_EFFECT
}
// NOLINTBEGIN(readability-identifier-naming): oneTBB's names
EVENCUBE_HIDDEN int TBB_runtime_interface_version() { return 12080; }
EVENCUBE_HIDDEN const char* TBB_runtime_version() { return "2021.8"; }
// NOLINTEND(readability-identifier-naming)

#undef EVENCUBE_HIDDEN
