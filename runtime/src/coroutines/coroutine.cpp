// The functions that coroutines need from the engine (runtime/src/coroutines/coroutines.md).

#include <evencube/coroutine.hpp>
#include <evencube/detail/sender_task.hpp>
#include <evencube/error.hpp>
#include <memory>
#include <utility>

#include "arenas/arena-inl.hpp"
#include "engine/engine.hpp"
#include "futures/future_news.hpp"
#include "futures/future_tree.hpp"
#include "life/thread_roles.hpp"
#include "wait/group-inl.hpp"

namespace evencube::detail {

namespace {

/// The labels in recordings of a part of a coroutine, and of an operation of a sender.
constexpr const char* coroutine_name = "coroutine";
constexpr const char* sender_name = "sender";

group_core& tracker_of(all_workers& workers) noexcept {
  return static_cast<engine&>(workers.host()).tracker();
}

/// While this object lives, what the calling thread queues from outside is set aside, in a list
/// without a bound, if the injector is full.
class never_waits_for_room {
 public:
  never_waits_for_room() noexcept : before_(std::exchange(roles_here.waits_for_room, false)) {}
  never_waits_for_room(const never_waits_for_room&) = delete;
  never_waits_for_room& operator=(const never_waits_for_room&) = delete;
  ~never_waits_for_room() { roles_here.waits_for_room = before_; }

 private:
  bool before_;
};

/// Queues a task whose parent is set. The task may end, and the runtime with it, before this
/// function has finished notifying a worker.
void queue_anywhere(task& queued, all_workers& workers, priority level, const char* name) {
  const slot_word word = make_slot(&queued, 1);
  if (worker* const caller = worker_of(workers)) {
    if (level != priority::normal) {
      spawn_with_priority(workers, word, level, {name});
    } else {
      caller->push(word, name);
    }
    return;
  }
  struct finish {
    void operator()(group_core* kept) const noexcept { kept->finish(nullptr); }
  };
  const std::unique_ptr<group_core, finish> alive(&tracker_of(workers));
  alive->add(nullptr);
  if (level != priority::normal) {
    spawn_with_priority(workers, word, level, {name});
  } else {
    const never_waits_for_room here;
    static_cast<engine&>(workers.host()).inject(word, std::nullopt, {name});
  }
}

/// A worker runs this task while a coroutine goes on; tasks that the coroutine makes are below it.
/// It is not in the frame of the coroutine, where its place may soon be reused. It holds the future
/// above it, which could otherwise be destroyed while this thread still runs here, after all parts
/// have ended elsewhere.
struct part : task {
  part(const node* parent, const resumption& resumed, future_core* root) noexcept
      : waiter(resumed) {
    parent_ = parent;
    execute_ = [](task& t, runner&) noexcept { static_cast<part&>(t).waiter.resume(); };
    if (root != nullptr) kept = root->hold();
  }
  resumption waiter;
  future_hold kept;
};

/// Resumes a coroutine when a future that it awaits has ended. If the started coroutine belongs to
/// the same runtime, the suspension is one of its needs, so that a waiter for it finds its way.
class suspension final : public future_core {
 public:
  suspension(future_core& needed, resumption waiter)
      : future_core(needed.runtime_id(), stage::unreleased, 1, &run, &destroy, &needs_),
        awaited_(&needed),
        needs_{dependency::kind::then, 1, &awaited_, 1, 0},
        waiter_(waiter) {}
  ~suspension() = default;

  void stand_below(future_core& root, future_news& news) {
    // Here other threads come to know of the suspension.
    if (root.arena() != nullptr) put_into(*root.arena());
    place_ = root.need(*this, news);
    root_ = &root;
  }
  void leave_root() noexcept {
    if (root_ != nullptr) root_->need_no_longer(place_);
  }

 private:
  static void run(task& t, runner& runs) noexcept {
    auto& caller = static_cast<worker&>(runs);
    auto& self = static_cast<suspension&>(t);
    self.close();
    self.leave_root();
    if (self.root_ != nullptr) {
      part resumed(self.root_, self.waiter_, self.root_);
      caller.call_part(resumed, nullptr, [&] { resumed.execute_(resumed, caller); });
    } else {
      self.waiter_.resume();
    }
    detail::end_future(self, false, caller);
  }
  static void destroy(future_core& core) noexcept { delete static_cast<suspension*>(&core); }

  future_core* awaited_;
  dependency needs_;
  resumption waiter_;
  future_core* root_ = nullptr;
  std::uint32_t place_ = 0;
};

}  // namespace

void resuming_task::run(task& t, runner& base) noexcept {
  auto& caller = static_cast<worker&>(base);
  auto& self = static_cast<resuming_task&>(t);
  group_core* const counted = self.counted_;
  if (self.tell_ != nullptr) {
    // The task may be gone when `tell_` has been called; so tasks made there are below a node of
    // this frame.
    const node here{self.parent_};
    caller.innermost().current = &here;
    self.tell_(self);
    if (counted != nullptr) counted->finish(nullptr);
    return;
  }
  const coroutine_root* const root = self.waiter_.root();
  const bool below_root = root != nullptr && self.parent_ == root->core;
  part resumed(self.parent_, self.waiter_, below_root ? root->core : nullptr);
  // The memory of this task is about to belong to another one, so the frame names the part instead.
  caller.innermost().current = &resumed;
  resumed.execute_(resumed, caller);
  if (counted != nullptr) counted->finish(nullptr);
}

void queue_resumption(resuming_task& queued, all_workers& workers, priority level) {
  workers.host().check_alive();
  const coroutine_root* const root = queued.waiter_.root();
  if (root != nullptr && root->workers == &workers) {
    queued.parent_ = root->core;
    queued.counted_ = nullptr;
  } else {
    if (root != nullptr) permit_wait(*root->workers, workers.sleepers().id, false);
    queued.counted_ = &tracker_of(workers);
    queued.parent_ = queued.counted_;
    queued.counted_->add(nullptr);
  }
  group_core* const counted = queued.counted_;
  try {
    queue_anywhere(queued, workers, level, coroutine_name);
  } catch (...) {
    if (counted != nullptr) counted->finish(nullptr);
    throw;
  }
}

void sender_task::run(task& t, runner& base) noexcept {
  auto& caller = static_cast<worker&>(base);
  auto& self = static_cast<sender_task&>(t);
  group_core* const counted = self.counted_;
  // The task may be gone when `tell_` has been called; so tasks made there are below a node of this
  // frame. The future above may be gone, too, unless this frame holds it.
  const node here{self.parent_};
  future_hold kept;
  if (counted == nullptr) {
    kept = const_cast<future_core&>(static_cast<const future_core&>(*self.parent_)).hold();
  }
  caller.innermost().current = &here;
  self.tell_(self);
  if (counted != nullptr) counted->finish(&caller);
}

void queue_sender(sender_task& queued, const waiting_place& below) {
  all_workers& workers = *queued.workers();
  const priority level = queued.level();
  workers.host().check_alive();
  group_core* counted = nullptr;
  if (below.coroutine != nullptr && below.coroutine->workers == &workers) {
    queued.parent_ = below.coroutine->core;
  } else {
    if (below.coroutine != nullptr)
      permit_wait(*below.coroutine->workers, workers.sleepers().id, false);
    const bool here = below.group != nullptr && &below.group->its_runtime() == &workers;
    if (below.group != nullptr && !here) {
      permit_wait(below.group->its_runtime(), workers.sleepers().id, false);
    }
    counted = here ? below.group : &tracker_of(workers);
    queued.parent_ = counted;
    counted->add(worker_of(workers));
  }
  queued.counted_ = counted;
  try {
    queue_anywhere(queued, workers, level, sender_name);
  } catch (...) {
    if (counted != nullptr) counted->finish(worker_of(workers));
    throw;
  }
}

void require_open(all_workers* workers, std::uint64_t runtime_id, const char* what) {
  require_runtime(runtime_id, what);
  workers->host().check_alive();
  if (workers->stopping()) workers->host().refuse_stopped();
}

bool queue_part(resuming_task& queued, worker& caller) noexcept {
  const coroutine_root* const root = queued.waiter_.root();
  try {
    if (root != nullptr && root->workers == &caller.workers()) {
      queued.parent_ = root->core;
      caller.push(make_slot(&queued, 1), coroutine_name);
    } else {
      queue_resumption(queued, caller.workers());
    }
    return true;
  } catch (...) {  // no memory
    return false;
  }
}

resuming_task* take_next_part(resuming_task* parts, std::size_t count) noexcept {
  worker* const caller = current_worker;
  const coroutine_root* const root = parts->waiter_.root();
  // Parts of another runtime, or of no started coroutine: each of these is counted by itself.
  if (caller == nullptr || root == nullptr || root->workers != &caller->workers()) return nullptr;
  return static_cast<resuming_task*>(caller->take_newest_of(parts, parts + count));
}

bool suspend_for(future_core& awaited, resumption waiter) {
  // The scope belongs to the thread, but the coroutine would continue on another thread.
  if (current_worker == nullptr && roles_here.scopes != nullptr) {
    throw error("co_await: a coroutine must not be suspended within its blocking scope");
  }
  awaited.check_alive();
  coroutine_root* const root = waiter.root();
  const bool same_runtime = root != nullptr && root->core->runtime_id() == awaited.runtime_id();
  if (root != nullptr && !same_runtime) permit_wait(*root->workers, awaited.runtime_id(), false);
  future_news news;
  auto* const made = new suspension(awaited, waiter);
  if (same_runtime) {
    try {
      made->stand_below(*root->core, news);
    } catch (...) {
      made->drop();
      throw;
    }
  }
  // From now on the coroutine may continue elsewhere, and all objects used here may be gone.
  if (awaited.attach(*made, 0)) return true;
  made->leave_root();
  // A search that came to the suspension on its way down sees that it has ended.
  bool nobody = false;
  made->settle(false, news, nobody);
  made->close();
  made->drop();
  return false;
}

void count_coroutine(all_workers& workers, future_core& root) {
  workers.host().check_alive();
  const worker* const caller = worker_of(workers);
  if (caller != nullptr && caller->arena() != nullptr) root.put_into(*caller->arena());
  tracker_of(workers).add(nullptr);
}

void end_coroutine(future_core& ended, bool threw, all_workers& workers) noexcept {
  group_core& tracker = tracker_of(workers);
  future_news news;
  if (worker* const caller = worker_of(workers)) {
    end_task(ended, threw, *caller, tracker, news);
  } else {
    // The task that it releases may be for worker 0, and the caller's seat may never have been
    // taken.
    try {
      if (!workers.host().left_behind()) workers.ensure_standby();
    } catch (...) {  // a thread that waits for it asks for the thread again, and gets the error
    }
    end_outside(ended, threw, workers, tracker, news);
  }
  tracker.finish(nullptr);
}

void throw_empty_task() {
  throw error("task: there is no coroutine in it: it was moved from, or awaited before");
}

}  // namespace evencube::detail

namespace evencube {

runtime_scheduler runtime::get_scheduler() noexcept { return runtime_scheduler(*this); }
schedule_sender runtime::schedule(priority level) { return schedule_sender(*this, level); }

}  // namespace evencube
