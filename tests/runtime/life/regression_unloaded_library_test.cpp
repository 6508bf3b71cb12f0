// A library that was loaded, used and unloaded used to leave its runtime's threads behind, because
// it stayed in memory: by symbols of the kind that keeps a library loaded, and by destructors of
// thread-local variables, which wait there for the end of the program's threads.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

namespace {

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
// the heap and never destroyed.
TEST(unloaded_library, leaves_no_memory) {
  const auto live = [] {
    void* const library = ::dlopen(EVENCUBE_UNLOADED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto sum = reinterpret_cast<int (*)(int)>(::dlsym(library, "sum_by_library"));
    ASSERT_NE(sum, nullptr) << ::dlerror();
    EXPECT_EQ(sum(10), 2 * 45 + 5);
    ASSERT_EQ(::dlclose(library), 0) << ::dlerror();
  };
  for (int warm = 0; warm < 3; ++warm) live();  // what the loader and other libraries keep
  constexpr int lives = 20;
  const std::size_t before = ::mallinfo2().uordblks;
  for (int life = 0; life < lives; ++life) live();
  const std::size_t after = ::mallinfo2().uordblks;
  // Profiles of functions whose costs are measured stay: tasks may run until the very end.
  EXPECT_LT(after, before + lives * std::size_t{2048});
}

}  // namespace
