#pragma once

#include <optional>
#include <utility>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

enum task_group_status { not_complete, complete, canceled };

/// Made in a task it is waited for by that task; outside any thread may use it.
class task_group {
 public:
  task_group() { renew(); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  ~task_group() = default;

  template <typename F>
  void run(F&& f) {
    group_->spawn(std::forward<F>(f));
  }
  /// Throws the first exception of its tasks. A group that was cancelled can be used again then.
  task_group_status wait() {
    struct renewal {
      task_group& of;
      ~renewal() {
        if (of.group_->stop_requested()) of.renew();
      }
    } const after{*this};
    return group_->wait() == wait_status::stopped ? canceled : complete;
  }
  template <typename F>
  task_group_status run_and_wait(const F& f) {
    run([&f] { f(); });
    return wait();
  }
  void cancel() noexcept { group_->request_stop(); }

 private:
  void renew() {
    if (runtime* const here = this_task::runtime()) {
      group_.emplace(*here);
      return;
    }
    const detail::outside_place place = detail::place_for_outside();
    if (place.part != nullptr) {
      group_.emplace(*place.part);
    } else {
      group_.emplace(place.of);
    }
  }
  std::optional<evencube::task_group> group_;
};

/// Whether the calling task's group was cancelled.
[[nodiscard]] inline bool is_current_task_group_canceling() noexcept {
  return this_task::stop_requested();
}

}  // namespace evencube::tbb
