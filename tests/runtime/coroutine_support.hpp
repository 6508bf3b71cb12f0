#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <exception>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

#include "deadline.hpp"

namespace evencube::test {

/// Coroutines on a runtime whose number of workers is the parameter.
class coroutines_on : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{runtime_options{.workers = GetParam()}};
  deadline deadline_{rt_, std::chrono::seconds{60}};
};

inline auto coroutine_workers() { return testing::Values(1, 2, 3, 8, 16); }
inline std::string name_of_workers(const testing::TestParamInfo<unsigned>& of) {
  return std::to_string(of.param) + "_workers";
}

struct failure_of_test {
  int number;
};

inline evencube::task<int> give(int value) { co_return value; }
inline evencube::task<int> fail(int number) {
  throw failure_of_test{number};
  co_return 0;
}

/// A coroutine type of another library: it begins at once, and no thread waits for it.
struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// An awaitable that resumes the coroutine on a thread of its own.
struct new_thread {
  std::thread& made;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) {
    // The thread that resumes the coroutine may end it, and with it everything here.
    const auto assigned = std::make_shared<std::binary_semaphore>(0);
    made = std::thread([who, assigned] {
      assigned->acquire();
      who.resume();
    });
    assigned->release();
  }
  void await_resume() const noexcept {}
};

}  // namespace evencube::test
