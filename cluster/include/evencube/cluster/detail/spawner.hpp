#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <evencube/cluster/detail/call.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

template <typename Argument, typename Result>
class cluster_task;
struct cluster_spawn_options;

namespace detail {
class cluster_engine;

/// A registered task without its types: its number, and the engine that registered it.
struct task_handle {
  std::uint64_t engine = 0;  ///< `cluster_engine::id()`; 0 for no task
  std::uint32_t number = 0;
};

/// Spawns tasks into one group of an engine, on behalf of a `cluster_group` or of a
/// `cluster_context`.
class spawner {
 public:
  /// `by_task` is true for the context of a running task.
  spawner(cluster_engine& engine, std::uint32_t group, bool by_task) noexcept
      : engine_(engine), group_(group), by_task_(by_task) {}
  spawner(const spawner&) = delete;
  spawner& operator=(const spawner&) = delete;
  ~spawner() = default;

  [[nodiscard]] cluster_engine& engine() const noexcept { return engine_; }
  [[nodiscard]] std::uint32_t group() const noexcept { return group_; }
  /// Makes all later spawns throw, because the group was waited for.
  void close() noexcept { closed_ = true; }

  /// Spawns a task whose result goes to the returned object.
  template <typename Argument, typename Result>
  [[nodiscard]] std::shared_ptr<call_future> call(const cluster_task<Argument, Result>& task,
                                                  Argument argument,
                                                  const cluster_spawn_options& options) const {
    auto made = std::make_unique<typed_call<Argument, Result>>(task.function_, std::move(argument));
    std::shared_ptr<call_future> result = made->future = std::make_shared<call_future>();
    spawn_call(task.handle_, std::move(made), options);
    return result;
  }

  template <typename Argument, typename Result>
  void spawn(const cluster_task<Argument, Result>& task, Argument argument,
             const cluster_spawn_options& options) const {
    spawn_call(task.handle_,
               std::make_unique<typed_call<Argument, Result>>(task.function_, std::move(argument)),
               options);
  }

 private:
  EVENCUBE_EXPORT void spawn_call(const task_handle& task, std::unique_ptr<cluster_call> call,
                                  const cluster_spawn_options& options) const;

  cluster_engine& engine_;
  const std::uint32_t group_;
  const bool by_task_;
  bool closed_ = false;
};

}  // namespace detail
}  // namespace evencube
