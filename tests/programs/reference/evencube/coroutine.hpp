#pragma once

// Coroutines whose awaits are calls: each goes on in the thread that began it, and one of several
// that are awaited at once in a thread of its own.

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/evencube.hpp>

namespace evencube {

template <typename T>
struct first_of_tasks {
  std::size_t index = 0;
  T value;
};

namespace reference {

/// The coroutine that the thread waits for, so that one that comes back to its runtime is again
/// part of what it was part of.
inline thread_local running root;

template <typename T>
struct promise_of {
  std::optional<T> value;
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};
template <>
struct promise_of<void> {
  void return_void() const {}
};

}  // namespace reference

template <typename T = void>
class [[nodiscard]] task {
 public:
  struct promise_type : reference::promise_of<T> {
    std::exception_ptr failure;
    task get_return_object() {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void unhandled_exception() { failure = std::current_exception(); }
  };

  task(task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  task& operator=(task&&) = delete;
  ~task() {
    if (coroutine_) coroutine_.destroy();
  }

  /// From its beginning to its end.
  T run() {
    coroutine_.resume();
    promise_type& promise = coroutine_.promise();
    if (promise.failure != nullptr) {
      std::rethrow_exception(std::exchange(promise.failure, nullptr));
    }
    if constexpr (!std::is_void_v<T>) return std::move(*promise.value);
  }

  auto operator co_await() && {
    struct awaiter {
      task& of;
      bool await_ready() const noexcept { return true; }
      void await_suspend(std::coroutine_handle<>) const noexcept {}
      T await_resume() const { return of.run(); }
    };
    return awaiter{*this};
  }

 private:
  explicit task(std::coroutine_handle<promise_type> made) : coroutine_(made) {}

  std::coroutine_handle<promise_type> coroutine_;
};

template <typename T>
T sync_wait(task<T> body) {
  struct restored {
    reference::running before = std::exchange(reference::root, reference::now);
    ~restored() { reference::root = std::move(before); }
  } const at_end;
  // Its frame goes before the wait ends.
  const task<T> owned = std::move(body);
  return const_cast<task<T>&>(owned).run();
}
template <typename T>
T sync_wait(runtime& on, task<T> body) {
  return on.run([&] { return evencube::sync_wait(std::move(body)); });
}
template <typename T>
future<T> start(runtime& on, task<T> body, const spawn_options& options = {}) {
  return on.async([owned = std::move(body)]() mutable { return sync_wait(std::move(owned)); },
                  options);
}
template <typename T>
void spawn(task_group& into, task<T> body, const spawn_options& options = {}) {
  into.spawn([owned = std::move(body)]() mutable { sync_wait(std::move(owned)); }, options);
}

namespace reference {

/// Awaited, `go()` gives the result.
template <typename F>
struct call_awaiter {
  F go;
  bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  auto await_resume() { return go(); }
};
template <typename F>
call_awaiter(F) -> call_awaiter<F>;

template <typename T>
std::vector<T> run_all(std::vector<task<T>>& all) {
  std::vector<std::optional<T>> results(all.size());
  std::vector<std::exception_ptr> failures(all.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < all.size(); ++k) {
      threads.emplace_back([&, k, part_of = now, its_root = root] {
        root = its_root;
        try {
          results[k].emplace(as(part_of, [&] { return all[k].run(); }));
        } catch (...) {
          failures[k] = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
  std::vector<T> values;
  for (auto& r : results) values.push_back(std::move(*r));
  return values;
}

template <typename T>
first_of_tasks<T> run_race(std::stop_source& others, std::vector<task<T>>& all) {
  std::vector<std::optional<T>> results(all.size());
  std::vector<std::exception_ptr> failures(all.size());
  std::atomic<std::size_t> first{all.size()};
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < all.size(); ++k) {
      threads.emplace_back([&, k, part_of = now, its_root = root] {
        root = its_root;
        try {
          results[k].emplace(as(part_of, [&] { return all[k].run(); }));
        } catch (...) {
          failures[k] = std::current_exception();
        }
        std::size_t none = all.size();
        if (first.compare_exchange_strong(none, k)) others.request_stop();
      });
    }
  }
  if (failures[first] != nullptr) std::rethrow_exception(failures[first]);
  return {first, std::move(*results[first])};
}

}  // namespace reference

template <typename T>
auto when_any(std::stop_source others, std::vector<task<T>>&& tasks) {
  return reference::call_awaiter{
      [others, all = std::move(tasks)]() mutable { return reference::run_race(others, all); }};
}
template <typename T>
auto when_all(std::vector<task<T>>&& tasks) {
  return reference::call_awaiter{
      [all = std::move(tasks)]() mutable { return reference::run_all(all); }};
}
template <typename T>
auto when_all(task<T>&& a, task<T>&& b) {
  std::vector<task<T>> both;
  both.push_back(std::move(a));
  both.push_back(std::move(b));
  return reference::call_awaiter{[all = std::move(both)]() mutable {
    const std::vector<T> values = reference::run_all(all);
    return std::tuple(values[0], values[1]);
  }};
}

template <typename T>
auto operator co_await(future<T>&& awaited) {
  return reference::call_awaiter{[taken = std::move(awaited)]() mutable { return taken.get(); }};
}

inline auto runtime::schedule() {
  return reference::call_awaiter{[to = asyncs_.get()] {
    reference::now = {to, reference::root.runtime == to ? reference::root.group : nullptr};
  }};
}

}  // namespace evencube
