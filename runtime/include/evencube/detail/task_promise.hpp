#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <evencube/detail/awaiting.hpp>
#include <evencube/detail/future_state.hpp>

namespace evencube {

template <typename T>
class task;

namespace rule {

/// The value that a coroutine returns becomes the result of its task.
template <typename U, typename T>
concept gives_the_result = std::constructible_from<T, U>;

}  // namespace rule

namespace detail {

/// Memory for a T in the frame of a coroutine. Compilers align frames only as `operator new` does,
/// so a T with a stricter alignment finds its place itself.
template <typename T>
class place_in_frame {
 public:
  void* address() noexcept {
    if constexpr (alignof(T) > allocated) {
      void* here = room_;
      std::size_t space = sizeof(room_);
      return std::align(alignof(T), sizeof(T), here, space);
    } else {
      return room_;
    }
  }
  T& value() noexcept { return *std::launder(static_cast<T*>(address())); }

 private:
  static constexpr std::size_t allocated = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  static constexpr std::size_t aligned = alignof(T) < allocated ? alignof(T) : allocated;

  alignas(aligned) std::byte room_[sizeof(T) + alignof(T) - aligned];
};

/// The part of a promise that stores the result of the coroutine.
template <typename T>
class task_result : public promise_base {
 public:
  task_result() noexcept {}
  task_result(const task_result&) = delete;
  task_result& operator=(const task_result&) = delete;
  ~task_result() {
    if (present_) place_.value().~value_type();
  }

  template <typename U = T>
    requires(!std::is_reference_v<T>) && rule::gives_the_result<U, T>
  void return_value(U&& value) {
    ::new (place_.address()) value_type(std::forward<U>(value));
    present_ = true;
  }
  void return_value(T value) noexcept
    requires std::is_reference_v<T>
  {
    ::new (place_.address()) value_type(std::addressof(value));
    present_ = true;
  }
  T take() { return detail::give_back<T>(place_.value()); }

 private:
  using value_type = kept<T>;

  place_in_frame<value_type> place_;
  bool present_ = false;
};
template <>
class task_result<void> : public promise_base {
 public:
  void return_void() const noexcept {}
  void take() const noexcept {}
};

/// The promise of a task.
template <typename T>
class task_promise final : public task_result<T> {
 public:
  struct at_the_end {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<task_promise> self) const noexcept {
      self.promise().leave_for_ever();
    }
    void await_resume() const noexcept {}
  };

  evencube::task<T> get_return_object() noexcept;
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] at_the_end final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { this->failure_ = std::current_exception(); }

  template <rule::can_be_awaited A>
  auto await_transform(A&& a) {
    using awaiter = awaiter_type<A>;
    if constexpr (awaited_by_own<awaiter>) {
      return detail::awaiter_of(static_cast<A&&>(a));
    } else {
      return foreign_awaiter<awaiter>(static_cast<A&&>(a));
    }
  }

  /// Returns the result, or throws the exception of the coroutine. Call once, after its end.
  T result() {
    if (this->failure_ != nullptr) std::rethrow_exception(std::move(this->failure_));
    return this->take();
  }
};

/// Runs a task from its beginning, and resumes the waiter at its end.
template <typename T>
class task_awaiter : public own_awaiter {
 public:
  using handle_type = std::coroutine_handle<task_promise<T>>;

  explicit task_awaiter(handle_type awaited) : awaited_(awaited) {
    if (!awaited) detail::throw_empty_task();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    const resumption who(self);
    task_promise<T>& promise = awaited_.promise();
    promise.waiter_ = self;
    promise.above_ = who.promise;
    promise.root_ = who.root();
    coroutine_loop* const loop = who.promise != nullptr ? who.promise->loop_ : nullptr;
    if (loop == nullptr) return run_apart(who, resumption(awaited_));
    promise.loop_ = loop;
    loop->go_on_with(awaited_);
    return true;
  }
  T await_resume() { return awaited_.promise().result(); }

 private:
  [[gnu::noinline]] static bool run_apart(resumption self, resumption awaited) noexcept {
    coroutine_loop loop;
    if (!loop.run_until(awaited.in(loop), self.handle)) return true;
    if (self.promise != nullptr) self.promise->loop_ = nullptr;
    return false;
  }

  handle_type awaited_;
};

/// Gives the library access to the coroutine of a task.
struct task_access {
  template <typename T>
  static std::coroutine_handle<task_promise<T>> handle(const evencube::task<T>& body) noexcept {
    return body.coroutine_;
  }
};

/// A coroutine that was started, and the state of its future. It begins as the task of a future
/// does, and the future ends when the coroutine does.
template <typename T>
class started final : coroutine_root, public future_state<T> {
 public:
  /// `holders` is the number of holders besides the coroutine.
  started(all_workers& all, evencube::task<T>&& body, std::uint32_t holders)
      : coroutine_root{this, &all},
        future_state<T>(detail::runtime_id_of(all), future_core::stage::released, holders + 1, &run,
                        &destroy, &needs_),
        body_(std::move(body)) {
    if (!task_access::handle(body_)) detail::throw_empty_task();
  }
  ~started() = default;

 private:
  static void run(task& t, runner&) noexcept {
    auto& self = static_cast<started&>(t);
    const resumption first(task_access::handle(self.body_));
    first.promise->act_ = &end;
    first.promise->root_ = &self;
    first.resume();
  }
  static std::coroutine_handle<> end(coroutine_step& step, coroutine_loop&) noexcept {
    auto& promise = static_cast<task_promise<T>&>(static_cast<promise_base&>(step));
    auto& self = static_cast<started&>(*promise.root_);
    bool threw = promise.failure_ != nullptr;
    if (threw) {
      self.keep_failure(std::move(promise.failure_));
    } else {
      const auto take = [&]() -> T { return promise.take(); };
      threw = self.keep_result_of(take);
    }
    self.body_ = {};  // objects in the frame must not outlive the future
    detail::end_coroutine(self, threw, *self.workers);
    self.drop();
    return nullptr;
  }
  static void destroy(future_core& core) noexcept { delete static_cast<started*>(&core); }

  basic_coroutine_needs<std_policy> needs_;
  evencube::task<T> body_;
};

}  // namespace detail

}  // namespace evencube
