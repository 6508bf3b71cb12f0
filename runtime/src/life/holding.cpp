#include <evencube/error.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "life/thread_roles.hpp"

namespace evencube::detail {

namespace {

[[noreturn]] void throw_held(const char* what) {
  throw error(std::string(what) +
              ": the calling thread holds this runtime, and nothing runs until it lets go");
}

}  // namespace

void engine::hold() {
  if (!try_hold()) refuse_stopped();
}

bool engine::try_hold() {
  check_alive();
  if (is_inside(workers_)) {
    throw error("hold(): must be called by a thread that is no worker of the runtime");
  }
  check_not_holder("hold()");
  check_not_own("hold()");
  hold_mutex_.lock();
  if (at_rest_) {
    hold_mutex_.unlock();
    return false;
  }
  outer_held_ = std::exchange(roles_here.holds, this);
  workers_.close_gate();
  // A round that the balancer or a thread outside leads may be under way. This waits for its end,
  // and no other round begins.
  static_cast<void>(migration_.between_rounds());
  return true;
}

void engine::release() noexcept {
  // In a forked child no worker stands still, and locks may be held by threads that do not exist
  // there.
  const bool here = !in_forked_child();
  if (here) {
    workers_.open_gate();
    migration_.gate_opened();
  }
  // Guards of several runtimes may be destroyed in any order.
  engine** link = &roles_here.holds;
  while (*link != this) link = &(*link)->outer_held_;
  *link = outer_held_;
  if (here) hold_mutex_.unlock();
}

bool engine::held_here() const noexcept {
  const engine* e = roles_here.holds;
  while (e != nullptr && e != this) e = e->outer_held_;
  return e == this;
}

void engine::check_not_holder(const char* what) const {
  if (held_here()) throw_held(what);
}

void engine::check_not_own(const char* what) const {
  const bool outside = current_worker == nullptr && roles_here.scopes == nullptr;
  if (roles_here.tells == this || (roles_here.own == this && outside)) {
    throw error(std::string(what) +
                ": an observer, or a thread of this runtime that begins or ends, must not wait for "
                "its tasks");
  }
}

void check_may_wait_for(std::uint64_t runtime_id) {
  for (const engine* const owner : {roles_here.tells, static_cast<const engine*>(roles_here.own)}) {
    if (owner != nullptr && owner->number() == runtime_id) owner->check_not_own("wait()");
  }
  for (engine* e = roles_here.holds; e != nullptr;) {
    if (e->workers().sleepers().id == runtime_id) throw_held("wait()");
    e = e->outer_held();
  }
}

std::vector<load_type> engine::held_loads() {
  check_alive();
  workers_.settle();
  std::vector<load_type> loads;
  for (std::uint32_t k = 0; k < workers_.size(); ++k) {
    loads.push_back(static_cast<load_type>(workers_.at(k).load()));
  }
  return loads;
}

balancing_round engine::held_balance(std::optional<node_id> initiator) {
  check_alive();
  if (initiator && *initiator >= workers_.size()) {
    throw std::invalid_argument("initiator: " + std::to_string(*initiator) +
                                " is no worker; at most " + std::to_string(workers_.size() - 1));
  }
  workers_.settle();
  balancing_round carried = migration_.carry_out_held(initiator);
  workers_.settle();
  return carried;
}

std::vector<std::vector<const void*>> engine::held_tasks() {
  check_alive();
  workers_.settle();
  std::vector<std::vector<const void*>> tasks(workers_.size());
  for (std::uint32_t k = 0; k < workers_.size(); ++k) {
    workers_.at(k).queue().for_each_shared(
        [&](slot_word word) { tasks[k].push_back(task_of(word)); });
  }
  return tasks;
}

namespace {

/// Holds the engine during its lifetime, unless the engine has been stopped.
struct standstill {
  engine& owner;
  const bool held;
  explicit standstill(engine& wanted) : owner(wanted), held(owner.try_hold()) {}
  standstill(const standstill&) = delete;
  standstill& operator=(const standstill&) = delete;
  ~standstill() {
    if (held) owner.release();
  }
};

}  // namespace

// Each worker shares at its next push what it has pushed until then, because setting the log
// demands its attention.
void engine::start_recording(const recording_options& options) {
  auto made = std::make_unique<recorder>(workers_.everyone(), options);
  std::unique_ptr<recorder> requested;
  std::string requested_file;
  {
    const standstill still(*this);
    if (!still.held) refuse_stopped();
    const std::lock_guard lock(recorder_mutex_);
    if (recorder_ != nullptr && requested_trace_.empty()) {
      throw error("start_recording(): a recording is in progress");
    }
    workers_.settle();
    requested = std::exchange(recorder_, std::move(made));
    requested_file = std::exchange(requested_trace_, {});
    for (std::uint32_t k = 0; k < workers_.everyone(); ++k) {
      workers_.at(k).record(&recorder_->of_worker(k));
    }
    migration_.record(recorder_.get());
    recording_.store(true, std::memory_order_relaxed);
    if (requested != nullptr) requested->stop();
  }
  if (requested != nullptr) write_requested_trace(requested_file, *requested);
}

recording engine::stop_recording() {
  std::unique_ptr<recorder> made;
  {
    const standstill still(*this);
    std::unique_lock ended(stop_mutex_, std::defer_lock);
    if (!still.held) ended.lock();  // the threads of the engine are about to end
    const std::lock_guard lock(recorder_mutex_);
    if (recorder_ == nullptr || !requested_trace_.empty()) {
      throw error("stop_recording(): no recording is in progress");
    }
    recording_.store(false, std::memory_order_relaxed);
    for (std::uint32_t k = 0; k < workers_.everyone(); ++k) workers_.at(k).record(nullptr);
    migration_.record(nullptr);
    made = std::move(recorder_);
    made->stop();
  }
  return made->take();
}

}  // namespace evencube::detail
