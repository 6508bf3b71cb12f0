// A library that was loaded, used and unloaded used to leave its runtime's threads behind, because
// it stayed in memory: by symbols of the kind that keeps a library loaded, and by destructors of
// thread-local variables, which wait there for the end of the program's threads.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>
#include <thread>

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> in_use{0};  // bytes

void* counted(void* block) {
  ++allocations;
  in_use += ::malloc_usable_size(block);
  return block;
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(unloaded_library, leaves_neither_threads_nor_itself) {
  const std::ptrdiff_t before = threads_of_this_process();
  for (int life = 0; life < 10; ++life) {
    void* const library = ::dlopen(EVENCUBE_UNLOADED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto sum = reinterpret_cast<int (*)(int)>(::dlsym(library, "sum_by_library"));
    ASSERT_NE(sum, nullptr) << ::dlerror();
    EXPECT_EQ(sum(100), 2 * 4950 + 5);
    EXPECT_GT(threads_of_this_process(), before);
    ASSERT_EQ(::dlclose(library), 0) << ::dlerror();
    // A thread that has been joined may still stand in the list for a moment.
    for (int look = 0; look < 1000 && threads_of_this_process() > before; ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    ASSERT_EQ(threads_of_this_process(), before) << "life " << life;
    EXPECT_EQ(::dlopen(EVENCUBE_UNLOADED_LIBRARY, RTLD_NOW | RTLD_NOLOAD), nullptr);
  }
}

// Each life of the library used to leave 18 kB behind: the list of the balancers, which was made on
// the heap and never destroyed. What the heap itself says is in use would not do: it includes what
// it keeps for threads and sizes to come, some 2 kB a life.
TEST(unloaded_library, leaves_no_memory) {
  const auto live = [] {
    void* const library = ::dlopen(EVENCUBE_UNLOADED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto sum = reinterpret_cast<int (*)(int)>(::dlsym(library, "sum_by_library"));
    ASSERT_NE(sum, nullptr) << ::dlerror();
    const std::size_t calls = allocations.load();
    EXPECT_EQ(sum(10), 2 * 45 + 5);
    EXPECT_GT(allocations.load(), calls) << "the library has an operator new of its own";
    ASSERT_EQ(::dlclose(library), 0) << ::dlerror();
  };
  for (int warm = 0; warm < 3; ++warm) live();  // what the loader and other libraries keep
  constexpr int lives = 20;
  const std::size_t before = in_use.load();
  for (int life = 0; life < lives; ++life) live();
  const std::size_t after = in_use.load();
  // Profiles of functions whose costs are measured stay: tasks may run until the very end. The
  // library has no more than five functions that are tasks, and a profile and its name take less
  // than 300 bytes.
  EXPECT_LT(after, before + lives * std::size_t{5} * 300);
}

}  // namespace

// The library's allocations come here, too.
void* operator new(std::size_t size) {
  if (void* const block = std::malloc(size == 0 ? 1 : size)) return counted(block);
  throw std::bad_alloc{};
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto at = static_cast<std::size_t>(alignment);
  if (void* const block = std::aligned_alloc(at, (size + at - 1) / at * at)) return counted(block);
  throw std::bad_alloc{};
}

void operator delete(void* block) noexcept {
  in_use -= ::malloc_usable_size(block);
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

void operator delete(void* block, std::align_val_t) noexcept { operator delete(block); }

void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  operator delete(block);
}
