#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/group_core.hpp>
#include <evencube/fork_join.hpp>

namespace evencube {

namespace detail {

[[noreturn]] void throw_spent_future();

/// How the result of a call is kept until it is asked for: void as a value, a reference as a
/// pointer.
template <typename T>
using kept = std::conditional_t<
    std::is_void_v<T>, std::monostate,
    std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, std::remove_cv_t<T>>>;

template <typename F>
auto call_to_keep(F& f) -> kept<std::invoke_result_t<F&>> {
  if constexpr (std::is_reference_v<std::invoke_result_t<F&>>) {
    auto&& result = f();
    return std::addressof(result);
  } else {
    return call_for_value(f);
  }
}

template <typename T>
T give_back(kept<T>& value) {
  if constexpr (std::is_reference_v<T>) {
    return static_cast<T>(*value);
  } else if constexpr (!std::is_void_v<T>) {
    return std::move(value);
  }
}

template <typename T>
struct future_state {
  using value_type = kept<T>;

  future_state(scheduler& cube, const group_core& all) : group(cube, all) {}

  group_core group;
  std::optional<value_type> value;
};

/// The function object of a task made by `async`.
template <typename F, typename T>
class async_task {
 public:
  template <typename G>
  async_task(std::shared_ptr<future_state<T>> state, G&& function, group_core& all)
      : state_(std::move(state)), function_(std::forward<G>(function)), all_(&all) {
    all_->add(nullptr);
  }
  async_task(async_task&& other) noexcept(std::is_nothrow_move_constructible_v<F>)
      : state_(std::move(other.state_)),
        function_(std::move(other.function_)),
        all_(std::exchange(other.all_, nullptr)) {}
  async_task& operator=(async_task&&) = delete;
  ~async_task() {
    if (all_ != nullptr) all_->unadd(nullptr);
  }

  void operator()() { state_->value.emplace(call_to_keep(function_)); }

  /// The group that the task reports to is part of the state: whoever ends the task holds it until
  /// it has reported, for the future may have been dropped.
  friend std::shared_ptr<future_state<T>> lifeline(async_task& task) noexcept {
    return task.state_;
  }

 private:
  std::shared_ptr<future_state<T>> state_;
  F function_;
  group_core* all_;
};

}  // namespace detail

/// What `runtime::async` will have computed. Move-only. May be dropped: the task runs all the same.
/// After `get`, or moved from, all members throw evencube::error.
template <typename T>
class future {
 public:
  explicit future(std::shared_ptr<detail::future_state<T>> state) : state_(std::move(state)) {}

  /// Whether `get` would return or throw at once.
  [[nodiscard]] bool ready() const { return state().group.done_elsewhere(); }

  /// Waits; may be called from any thread. A worker that waits runs the task itself if nobody has
  /// begun it, and what it spawns.
  void wait() const;

  /// Waits and returns the value or throws the task's exception. Once.
  T get() {
    wait();
    const auto state = std::move(state_);
    state->group.rethrow();
    return detail::give_back<T>(*state->value);
  }

 private:
  [[nodiscard]] detail::future_state<T>& state() const {
    if (state_ == nullptr) detail::throw_spent_future();
    return *state_;
  }

  std::shared_ptr<detail::future_state<T>> state_;
};

namespace detail {
worker* worker_of(const scheduler& cube) noexcept;
}

template <typename T>
void future<T>::wait() const {
  auto& group = state().group;
  group.wait(detail::worker_of(group.cube()));
}

}  // namespace evencube
