#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <evencube/cluster/detail/call.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/error.hpp>

namespace evencube {

namespace detail {
class cluster_engine;

/// Waits until the result is here. Throws evencube::error within a task, and if it cannot come.
EVENCUBE_EXPORT void wait_for_result(cluster_engine& of, const call_future& result);
/// Returns true if the result is here, or the exception of its task.
[[nodiscard]] EVENCUBE_EXPORT bool has_result(cluster_engine& of, const call_future& result);
}  // namespace detail

/// The result of one task, made by `cluster_group::call`, wherever the task runs. It can be moved,
/// and must not be used after its cluster. Dropping it drops the result.
template <typename Result>
class [[nodiscard]] cluster_future {
 public:
  /// Makes a future without a task.
  cluster_future() = default;
  /// Called by `cluster_group::call`.
  cluster_future(detail::cluster_engine& of, std::shared_ptr<detail::call_future> result) noexcept
      : engine_(&of), result_(std::move(result)) {}

  /// Returns true until `get` has been called.
  [[nodiscard]] bool valid() const noexcept { return result_ != nullptr; }
  /// Returns true if `get` will not wait. Throws evencube::error if the future is not valid.
  [[nodiscard]] bool ready() const {
    require_valid();
    return detail::has_result(*engine_, *result_);
  }
  /// Waits until the task has ended, and returns its result. Not collective. The calling thread
  /// must be outside of tasks, because tasks of a rank run only while its workers are free. Throws
  /// remote_error if the task threw. Throws evencube::error within a task unless `ready()` is true,
  /// if the future is not valid, if the runtime of this rank is stopped before the result has come,
  /// or if a rank destroys its cluster meanwhile.
  Result get() {
    require_valid();
    detail::wait_for_result(*engine_, *result_);
    const std::shared_ptr<detail::call_future> result = std::move(result_);
    if (result->failure) std::rethrow_exception(result->failure);
    if (result->came) {
      detail::byte_reader in(result->bytes);
      result->call->read_result(in);
    }
    if constexpr (!std::is_void_v<Result>) {
      return std::move(*static_cast<Result*>(result->call->result()));
    }
  }

 private:
  void require_valid() const {
    if (!valid()) throw error("cluster_future: it has no result, or its result was taken");
  }

  detail::cluster_engine* engine_ = nullptr;
  std::shared_ptr<detail::call_future> result_;
};

}  // namespace evencube
