#include "peak_new.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> in_use{0};
std::atomic<std::size_t> most{0};
std::atomic<std::size_t> at_start{0};

void* counted(void* block) {
  const auto now = in_use.fetch_add(malloc_usable_size(block)) + malloc_usable_size(block);
  for (auto before = most.load(); before < now && !most.compare_exchange_weak(before, now);) {
  }
  return block;
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* const block = std::malloc(size == 0 ? 1 : size)) return counted(block);
  throw std::bad_alloc{};
}

void operator delete(void* block) noexcept {
  in_use.fetch_sub(malloc_usable_size(block));
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace evencube::workloads::testing {

void forget_peak() noexcept {
  at_start.store(in_use.load());
  most.store(in_use.load());
}

std::size_t peak_bytes() noexcept { return most.load() - at_start.load(); }

}  // namespace evencube::workloads::testing
