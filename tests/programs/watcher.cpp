#include "watcher.hpp"

#include <utility>

namespace evencube::programs {

namespace {

class of_workers_alone : public observer {
 public:
  explicit of_workers_alone(std::shared_ptr<watcher> to) : to_(std::move(to)) {}
  void worker_started(unsigned k) override { to_->started(k); }
  void worker_stopped(unsigned k) override { to_->stopped(k); }
  void worker_parks(unsigned k) override { to_->parks(k); }
  void worker_wakes(unsigned k) override { to_->wakes(k); }

 private:
  std::shared_ptr<watcher> to_;
};

// What it throws, after it was told, changes nothing.
class of_tasks_too : public task_observer {
 public:
  explicit of_tasks_too(std::shared_ptr<watcher> to) : to_(std::move(to)) {}
  void worker_started(unsigned k) override { to_->started(k); }
  void worker_stopped(unsigned k) override { to_->stopped(k); }
  void worker_parks(unsigned k) override { to_->parks(k); }
  void worker_wakes(unsigned k) override { to_->wakes(k); }
  void task_begins(unsigned k) override {
    to_->begins(k);
    if (to_->tasks() % 5 == 0) throw 1;
  }
  void task_ended(unsigned k) override {
    to_->ended(k);
    if (to_->tasks() % 7 == 0) throw 1;
  }

 private:
  std::shared_ptr<watcher> to_;
};

}  // namespace

std::shared_ptr<observer> observer_of(const setting& s, const std::shared_ptr<watcher>& watching) {
  switch (s.tells) {
    case telling::of_workers:
      return std::make_shared<of_workers_alone>(watching);
    case telling::of_tasks:
      return std::make_shared<of_tasks_too>(watching);
    default:
      return nullptr;
  }
}

void watcher::started(unsigned k) {
  state* const w = of(k);
  if (w == nullptr) return;
  expect(!w->on && w->depth == 0, "started twice", k);
  *w = {.on = true, .thread = std::this_thread::get_id()};
}

void watcher::stopped(unsigned k) {
  state* const w = of(k);
  if (w == nullptr) return;
  expect(w->on && !w->parked && w->depth == 0, "stopped, asleep or in a task or not started", k);
  expect(w->thread == std::this_thread::get_id(), "stopped on another thread", k);
  w->on = false;
}

void watcher::parks(unsigned k) {
  state* const w = of(k);
  if (w == nullptr) return;
  expect(w->on && !w->parked, "fell asleep, asleep or not started", k);
  w->parked = true;
}

void watcher::wakes(unsigned k) {
  state* const w = of(k);
  if (w == nullptr) return;
  expect(w->on && w->parked, "woke, awake or not started", k);
  w->parked = false;
}

void watcher::begins(unsigned k) {
  state* const w = of(k);
  if (w == nullptr) return;
  expect(w->on && !w->parked, "began a task, asleep or not started", k);
  ++w->depth;
  tasks_.fetch_add(1, std::memory_order_relaxed);
}

void watcher::ended(unsigned k) {
  state* const w = of(k);
  if (w == nullptr) return;
  if (forgets_.exchange(false, std::memory_order_relaxed)) return;
  expect(w->on && !w->parked && w->depth > 0, "ended a task that it had not begun", k);
  --w->depth;
}

watcher::state* watcher::of(unsigned k) {
  expect(k < workers_.size(), "is none", k);
  return k < workers_.size() ? &workers_[k] : nullptr;
}

void watcher::expect(bool right, const char* what, unsigned k) {
  if (right) return;
  const std::lock_guard lock(mutex_);
  if (!wrong_) wrong_ = "an observer was told that worker " + std::to_string(k) + " " + what;
}

std::optional<std::string> watcher::wrong() const {
  const std::lock_guard lock(mutex_);
  return wrong_;
}

void watcher::at_the_end() {
  for (unsigned k = 0; k < workers_.size(); ++k) {
    const state& w = workers_[k];
    expect(!w.on && !w.parked && w.depth == 0, "started, of a runtime that is gone", k);
  }
}

}  // namespace evencube::programs
