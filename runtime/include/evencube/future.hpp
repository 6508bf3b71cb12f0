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

template <typename T>
struct future_state {
  using value_type = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  explicit future_state(scheduler& cube) : group(cube, nullptr) {}

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

  void operator()() { state_->value.emplace(call_for_value(function_)); }

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
template <typename T>
class future {
 public:
  explicit future(std::shared_ptr<detail::future_state<T>> state) : state_(std::move(state)) {}

  /// Whether `get` would return or throw at once.
  [[nodiscard]] bool ready() const noexcept { return state_->group.done_elsewhere(); }

  /// Waits; may be called from any thread. A worker that waits runs the task itself if nobody has
  /// begun it, and what it spawns.
  void wait() const;

  /// Waits and returns the value or throws the task's exception. Once.
  T get() {
    const auto state = std::move(state_);
    wait_for(*state);
    state->group.rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(*state->value);
  }

 private:
  static void wait_for(detail::future_state<T>& state);

  std::shared_ptr<detail::future_state<T>> state_;
};

namespace detail {
worker* worker_of(const scheduler& cube) noexcept;
}

template <typename T>
void future<T>::wait_for(detail::future_state<T>& state) {
  state.group.wait(detail::worker_of(state.group.cube()));
}

template <typename T>
void future<T>::wait() const {
  wait_for(*state_);
}

}  // namespace evencube
