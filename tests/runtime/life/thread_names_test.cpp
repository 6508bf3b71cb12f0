// Threads say in ps, top and debuggers whose they are.
#include <gtest/gtest.h>

#include <chrono>
#include <evencube/evencube.hpp>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "threads_of_process.hpp"

namespace evencube {
namespace {

/// Of threads that have the names of a runtime with three workers, once all have got them.
std::multiset<std::string> names_beginning_with(const std::string& prefix, runtime& rt) {
  rt.async([] {}).get();  // worker 0 has a thread now
  std::multiset<std::string> found;
  for (int attempt = 0; attempt < 5000 && found.size() < rt.workers() + 1; ++attempt) {
    found.clear();
    for (const auto& name : test::names_of_threads()) {
      if (name.starts_with(prefix)) found.insert(name);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return found;
}

using names = std::multiset<std::string>;

TEST(thread_names, tell_the_worker) {
  runtime rt({.workers = 3});
  EXPECT_EQ(names_beginning_with("evencube", rt),
            (names{"evencube-0", "evencube-1", "evencube-2", "evencube-plan"}));
}

TEST(thread_names, tell_the_runtime_if_it_has_a_name) {
  runtime one({.workers = 3, .mode = balancer_mode::thread, .name = "loader"});
  runtime other({.workers = 3, .mode = balancer_mode::thread, .name = "a name that is too long"});
  EXPECT_EQ(names_beginning_with("loader", one),
            (names{"loader-0", "loader-1", "loader-2", "loader-plan"}));
  EXPECT_EQ(names_beginning_with("a name", other),
            (names{"a name that i-0", "a name that i-1", "a name that i-2", "a name tha-plan"}));
  EXPECT_THROW(runtime({.name = ""}), std::invalid_argument);
}

TEST(thread_names, of_callers_stay) {
  runtime rt({.workers = 2});
  const auto own_name = [] {
    std::string name;
    std::getline(std::ifstream("/proc/thread-self/comm"), name);
    return name;
  };
  const std::string before = own_name();
  rt.run([&] { EXPECT_EQ(own_name(), before); });
  EXPECT_EQ(own_name(), before);
}

}  // namespace
}  // namespace evencube
