#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <evencube/detail/awaiting.hpp>
#include <evencube/detail/task_promise.hpp>

namespace evencube::detail {

template <typename T>
using result_of_one = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/// The result of one of many tasks: an object, also for a reference.
template <typename T>
struct object_of_result {
  using type = result_of_one<T>;
};
template <typename T>
struct object_of_result<T&> {
  using type = std::reference_wrapper<T>;
};
template <typename T>
using result_of_many = typename object_of_result<T>::type;

/// The result of a task that has ended.
template <typename T>
result_of_one<T> result_of(const evencube::task<T>& ended) {
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return task_access::handle(ended).promise().take();
  }
}
template <typename T>
resumption begin_of(const evencube::task<T>& begun) {
  if (!begun.valid()) detail::throw_empty_task();
  return resumption(task_access::handle(begun));
}

/// Several tasks of any types, to be awaited together.
template <typename... T>
class all_tasks {
 public:
  class awaiter final : public all_awaiter {
   public:
    explicit awaiter(std::tuple<evencube::task<T>...>&& tasks) : tasks_(std::move(tasks)) {
      std::apply(
          [&](const auto&... all) {
            std::size_t i = 0;
            ((children_[i++].waiter_ = detail::begin_of(all)), ...);
          },
          tasks_);
      begin(children_.data(), sizeof...(T));
    }
    auto await_resume() {
      check();
      if constexpr (!(std::is_void_v<T> && ...)) {
        return std::apply(
            [](const auto&... all) {
              return std::tuple<result_of_one<T>...>{detail::result_of(all)...};
            },
            tasks_);
      }
    }

   private:
    std::tuple<evencube::task<T>...> tasks_;
    std::array<resuming_task, sizeof...(T)> children_;
  };

  explicit all_tasks(evencube::task<T>&&... tasks) noexcept : tasks_(std::move(tasks)...) {}
  [[nodiscard]] awaiter operator co_await() && { return awaiter(std::move(tasks_)); }

 private:
  std::tuple<evencube::task<T>...> tasks_;
};

/// Several tasks of one type, to be awaited together.
template <typename T>
class many_tasks {
 public:
  using one = result_of_many<T>;

  class awaiter final : public all_awaiter {
   public:
    explicit awaiter(std::vector<evencube::task<T>>&& tasks)
        : tasks_(std::move(tasks)), children_(tasks_.size()) {
      for (std::size_t i = 0; i < tasks_.size(); ++i) {
        children_[i].waiter_ = detail::begin_of(tasks_[i]);
      }
      begin(children_.data(), children_.size());
    }
    auto await_resume() {
      check();
      if constexpr (!std::is_void_v<T>) {
        std::vector<one> results;
        results.reserve(tasks_.size());
        for (const auto& ended : tasks_) results.push_back(detail::result_of(ended));
        return results;
      }
    }

   private:
    std::vector<evencube::task<T>> tasks_;
    std::vector<resuming_task> children_;
  };

  explicit many_tasks(std::vector<evencube::task<T>>&& tasks) noexcept : tasks_(std::move(tasks)) {}
  [[nodiscard]] awaiter operator co_await() && { return awaiter(std::move(tasks_)); }

 private:
  std::vector<evencube::task<T>> tasks_;
};

}  // namespace evencube::detail
