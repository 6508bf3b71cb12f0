#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include <evencube/detail/coroutine_loop.hpp>
#include <evencube/future.hpp>

// How `co_await` finds the awaiter of its operand.

namespace evencube {

namespace detail {

template <typename A>
concept has_member_co_await = requires(A&& a) { static_cast<A&&>(a).operator co_await(); };
template <typename A>
concept has_free_co_await = requires(A&& a) { operator co_await(static_cast<A&&>(a)); };
/// Says how coroutines await the senders of a library: those whose `sender_concept` is `Tag`. The
/// adaptor of the library specialises it with a member `template <typename Sender> awaiter`.
template <typename Tag>
struct senders_with_tag;
template <typename A>
using sender_tag_of = typename std::remove_cvref_t<A>::sender_concept;
template <typename A>
concept is_sender_of_a_library = requires {
  typename sender_tag_of<A>;
  sizeof(senders_with_tag<sender_tag_of<A>>);
};
template <typename A>
concept is_awaiter = requires(std::remove_reference_t<A>& a) {
  a.await_ready() ? 1 : 0;
  a.await_resume();
};

}  // namespace detail

namespace rule {

/// A coroutine can await an operand that has an awaiter: tasks as values that it may use up
/// (`std::move`), several such tasks, futures, senders of schedulers, and awaitables of other
/// libraries.
template <typename A>
concept can_be_awaited = detail::has_member_co_await<A> || detail::has_free_co_await<A> ||
                         detail::is_awaiter<A> || detail::is_sender_of_a_library<A>;

}  // namespace rule

namespace detail {

template <rule::can_be_awaited A>
decltype(auto) awaiter_of(A&& a) {
  if constexpr (has_member_co_await<A>) {
    return static_cast<A&&>(a).operator co_await();
  } else if constexpr (has_free_co_await<A>) {
    return operator co_await(static_cast<A&&>(a));
  } else if constexpr (is_sender_of_a_library<A> && !is_awaiter<A>) {
    return typename senders_with_tag<sender_tag_of<A>>::template awaiter<A>(static_cast<A&&>(a));
  } else {
    return static_cast<A&&>(a);
  }
}

/// The base of awaiters that come back to the loop.
struct own_awaiter {};
template <typename A>
using awaiter_type = decltype(detail::awaiter_of(std::declval<A>()));
template <typename A>
inline constexpr bool awaited_by_own = std::is_base_of_v<own_awaiter, std::decay_t<A>>;

/// An awaiter of another library. Any thread may resume the coroutine, which is in no loop then.
template <typename Awaiter>
class foreign_awaiter {
 public:
  template <typename A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, foreign_awaiter>)
  explicit foreign_awaiter(A&& a) : inner_(detail::awaiter_of(static_cast<A&&>(a))) {}

  bool await_ready() { return inner_.await_ready() ? true : false; }
  template <typename Promise>
  auto await_suspend(std::coroutine_handle<Promise> self) {
    using answer = decltype(inner_.await_suspend(self));
    promise_base& promise = self.promise();
    coroutine_loop* const loop = std::exchange(promise.loop_, nullptr);
    try {
      if constexpr (std::is_same_v<answer, bool>) {
        if (inner_.await_suspend(self)) return true;
        promise.loop_ = loop;
        return false;
      } else {
        return inner_.await_suspend(self);
      }
    } catch (...) {
      promise.loop_ = loop;
      throw;
    }
  }
  decltype(auto) await_resume() { return inner_.await_resume(); }

 private:
  Awaiter inner_;
};

/// Waits for a future, and takes it over.
template <typename T>
class future_awaiter : public own_awaiter, coroutine_step {
 public:
  explicit future_awaiter(future<T>&& awaited) noexcept : awaited_(std::move(awaited)) {
    act_ = &suspend;
  }

  bool await_ready() const { return awaited_.ready(); }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    self_ = resumption(self);
    return detail::suspend_and_act(*this, self_);
  }
  T await_resume() {
    if (refusal_ != nullptr) std::rethrow_exception(std::move(refusal_));
    return awaited_.get();
  }

 private:
  static std::coroutine_handle<> suspend(coroutine_step& step, coroutine_loop& loop) noexcept {
    auto& self = static_cast<future_awaiter&>(step);
    try {
      if (detail::suspend_for(*future_access::state(self.awaited_), self.self_)) return nullptr;
    } catch (...) {
      self.refusal_ = std::current_exception();
    }
    return self.self_.in(loop);
  }

  future<T> awaited_;
  resumption self_;
  std::exception_ptr refusal_;
};

/// Starts several coroutines, which tasks of the same runtime resume. The one that ends last goes
/// on with the waiter.
class all_awaiter : public own_awaiter, coroutine_step {
 public:
  all_awaiter(const all_awaiter&) = delete;
  all_awaiter& operator=(const all_awaiter&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return count_ == 0; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    self_ = resumption(self);
    return detail::suspend_and_act(*this, self_);
  }

 protected:
  all_awaiter() noexcept { act_ = &start; }
  ~all_awaiter() = default;

  void begin(resuming_task* children, std::size_t count) noexcept {
    children_ = children;
    count_ = count;
    left_.store(count, std::memory_order_relaxed);
  }
  /// Throws the first exception.
  void check() const {
    const promise_base* const failed = failed_.load(std::memory_order_relaxed);
    if (failed != nullptr) std::rethrow_exception(failed->failure_);
  }

 private:
  // The first coroutine goes on here. Until it has ended the waiter is not resumed, so this object
  // stays.
  static std::coroutine_handle<> start(coroutine_step& step, coroutine_loop& loop) noexcept {
    auto& self = static_cast<all_awaiter&>(step);
    for (std::size_t i = 0; i < self.count_; ++i) {
      promise_base& child = *self.children_[i].waiter_.promise;
      child.act_ = &ended;
      child.above_ = &self;
      child.root_ = self.self_.root();
    }
    worker* const caller = current_worker;
    for (std::size_t i = self.count_ - 1; i > 0; --i) {
      resuming_task& child = self.children_[i];
      if (caller == nullptr || !detail::queue_part(child, *caller)) child.waiter_.resume();
    }
    return self.children_[0].waiter_.in(loop);
  }
  static std::coroutine_handle<> ended(coroutine_step& step, coroutine_loop& loop) noexcept {
    auto& child = static_cast<promise_base&>(step);
    auto& self = static_cast<all_awaiter&>(*child.above_);
    if (child.failure_ != nullptr) {
      promise_base* none = nullptr;
      self.failed_.compare_exchange_strong(none, &child, std::memory_order_relaxed);
    }
    // Done before this coroutine is counted: until then the others, and the frame that has them,
    // exist.
    if (self.left_.load(std::memory_order_relaxed) != 1) {
      if (resuming_task* const next = detail::take_next_part(self.children_, self.count_)) {
        // Release: as below. This coroutine is not the last.
        self.left_.fetch_sub(1, std::memory_order_release);
        return next->waiter_.in(loop);
      }
    }
    // Release: the waiter sees what this coroutine has done; acquire: it sees what the others have
    // done.
    if (self.left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return nullptr;
    return self.self_.in(loop);
  }

  resumption self_;
  resuming_task* children_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> left_{0};
  std::atomic<promise_base*> failed_{nullptr};
};

}  // namespace detail

/// Awaiting a future uses it up, as `get` does.
template <typename T>
[[nodiscard]] detail::future_awaiter<T> operator co_await(future<T>&& awaited) noexcept {
  return detail::future_awaiter<T>(std::move(awaited));
}
template <typename T>
[[nodiscard]] detail::future_awaiter<T> operator co_await(future<T>& awaited) noexcept {
  return detail::future_awaiter<T>(std::move(awaited));
}

}  // namespace evencube
