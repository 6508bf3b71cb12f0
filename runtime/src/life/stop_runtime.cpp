// How a runtime ends. The numbers of the steps are those of runtime/src/life/shutdown.md.

#include <algorithm>
#include <chrono>
#include <evencube/error.hpp>
#include <mutex>
#include <thread>

#include "engine/engine.hpp"
#include "life/drain.hpp"
#include "life/thread_roles.hpp"
#include "observe/live_engines.hpp"
#include "wait/group-inl.hpp"
#include "wait/waiting.hpp"

namespace evencube::detail {

namespace {

constexpr char stopped_text[] = "this runtime has been stopped, or ends, and begins nothing more";

}  // namespace

// This does not check whether the workers take no more work. A task that ends because it was
// stopped may end before that, and make room for a task that has not begun.
bool runtime_stopped(worker& caller) noexcept {
  return static_cast<engine&>(caller.workers().host()).stopped();
}

std::exception_ptr stopped_failure() noexcept {
  return std::make_exception_ptr(
      error(std::string("the task had not begun when its runtime was "
                        "stopped, and never will")));
}

void engine::refuse_stopped() const { throw error(stopped_text); }

void engine::stop() {
  check_alive();
  if (is_inside(workers_) || roles_here.own == this || roles_here.tells == this) {
    throw error(
        "stop(): must not be called by a task, a balancer, an observer or a thread of this "
        "runtime, "
        "whose end it waits for");
  }
  check_not_holder("stop()");
  if (current_worker != nullptr) {
    permit_wait(current_worker->workers(), workers_.sleepers().id);
  }
  const std::lock_guard one(stop_mutex_);
  if (ended_) return;
  // A refused caller finds groups stopped, and a thread that finds a task dropped finds the runtime
  // stopped.
  stop_called_.store(true, std::memory_order_seq_cst);
  request_stop(stop_, &workers_);
  workers_.close();
  wait_for_rest();
  stop_threads();
  // A thread that continues a future at this moment counts in the tracker until it has been
  // refused.
  do {
    wait_outside(workers_.room(), external_wait<std_policy>{tracker_});
  } while (!retire(*this));
  ended_ = true;
}

void engine::wait_for_rest() {
  using namespace std::chrono_literals;
  std::chrono::microseconds pause = 20us;
  detail::wait_for_rest(
      workers_,
      [this] {
        const std::lock_guard nobody_holds(hold_mutex_);
        const auto rounds = migration_.between_rounds();
        if (workers_.nothing_left(tracker_)) at_rest_ = true;
        return at_rest_;
      },
      [&pause] {
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(2 * pause, 1ms);
      });
}

// True if another thread is a caller of `run`, holds the engine, or stops it. Each of these uses
// the engine until it returns.
bool engine::used_from_outside() noexcept {
  if (workers_.seat().has_caller()) return true;
  for (std::mutex* const held : {&hold_mutex_, &stop_mutex_}) {
    if (!held->try_lock()) return true;
    held->unlock();
  }
  return false;
}

// The tasks of `async` have ended, so all other tasks that run or are queued belong to a group that
// was not waited for. A worker that has just ended the last task may still be busy for a moment,
// and workers that have just been woken may be about to take what is queued. An observer may go on
// bringing tasks, so this waits for a limited time.
bool engine::tasks_go_on() noexcept {
  using namespace std::chrono_literals;
  const auto awaited = [this] {
    const std::lock_guard lock(workers_.room());
    return workers_.room().awaits_group_of(number_);
  };
  for (std::chrono::microseconds slept = 0us, pause = 10us;;) {
    if (workers_.spare_workers().in_scopes() != 0 || workers_.anybody_waits() || awaited()) {
      return true;
    }
    if (workers_.at_rest()) return false;
    if (slept > 2s) return workers_.anybody_busy();
    std::this_thread::sleep_for(pause);
    slept += pause;
    pause = std::min<std::chrono::microseconds>(2 * pause, 1ms);
  }
}

bool engine::comes_to_rest() noexcept {
  if (used_from_outside()) return false;
  if (ended_) return true;
  bool waited = true;
  do {
    try {
      tracker_.wait(current_worker);
    } catch (...) {
      waited = false;
    }
    if (waited && (used_from_outside() || tasks_go_on())) return false;
  } while (!delist(*this, !waited));
  close_for_good(waited);
  // A worker may have begun a task since, or be about to.
  return !waited || !(used_from_outside() || tasks_go_on());
}

engine::~engine() {
  if (ended_) {
    delist(*this, true);
  } else {
    stop_threads();
  }
  forget_stop(stop_);
  // No thread is left that could write to the logs.
  if (!requested_trace_.empty()) {
    recorder_->stop();
    write_requested_trace(requested_trace_, *recorder_);
  }
}

// From here on, a thread outside that brings work gets an error, because no worker is left for it.
// Work that came meanwhile, from an observer or from the end of some thread, still runs.
void engine::close_for_good(bool waits) noexcept {
  {
    const std::lock_guard nobody_holds(hold_mutex_);
    at_rest_ = true;
  }
  workers_.close();
  if (!waits) return;
  try {
    tracker_.wait(current_worker);
  } catch (...) {  // then, as before, this does not wait
  }
}

void engine::serve_rounds() {
  roles_here.own = this;
  name_current_thread(options_.name, "plan");
  migration_.serve(std::chrono::nanoseconds(options_.period).count());
  end_thread(workers_.at(0), true);
}

void engine::stop_threads() noexcept {
  workers_.stop();
  migration_.stop();
  for (auto& t : threads_) t.join();
  threads_.clear();
  if (standby_.joinable()) standby_.join();
}

}  // namespace evencube::detail
