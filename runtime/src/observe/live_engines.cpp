#include "observe/live_engines.hpp"

#include <evencube/error.hpp>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include <evencube/detail/futex_lock.hpp>

#include "engine/engine.hpp"
#include "life/thread_roles.hpp"
#include "observe/text_line.hpp"
#include "platform/platform.hpp"

namespace evencube::detail {

namespace {

constinit basic_futex_lock<> live_lock;
constinit engine* first_live = nullptr;
/// In a forked child: numbers up to this one belong to its parent.
constinit std::atomic<std::uint64_t> inherited_numbers{0};

std::uint64_t number_of(engine& owner) noexcept { return owner.number(); }

}  // namespace

void enlist(engine& made) noexcept {
  const std::lock_guard lock(live_lock);
  made.next_live() = first_live;
  first_live = &made;
}

bool delist(engine& ending, bool in_any_case) noexcept {
  const std::lock_guard lock(live_lock);
  if (!in_any_case && !ending.tracker().count().done_for_others()) return false;
  for (engine** at = &first_live; *at != nullptr; at = &(*at)->next_live()) {
    if (*at != &ending) continue;
    *at = ending.next_live();
    break;
  }
  return true;
}

bool retire(engine& stopped) noexcept {
  const std::lock_guard lock(live_lock);
  if (!stopped.tracker().count().done_for_others()) return false;
  stopped.retired() = true;
  return true;
}

bool exists(std::uint64_t runtime_id) noexcept {
  const std::lock_guard lock(live_lock);
  for (engine* e = first_live; e != nullptr; e = e->next_live()) {
    if (number_of(*e) == runtime_id) return true;
  }
  return false;
}

engine& find_engine(std::uint64_t runtime_id, const char* what) {
  check_process_of(runtime_id);
  const std::lock_guard lock(live_lock);
  for (engine* e = first_live; e != nullptr; e = e->next_live()) {
    if (number_of(*e) == runtime_id) return *e;
  }
  throw error(std::string(what) + ": its runtime is gone");
}

void check_process_of(std::uint64_t runtime_id) {
  // Relaxed: written in a child while it has one thread.
  if (runtime_id <= inherited_numbers.load(std::memory_order_relaxed)) {
    throw error(
        "this runtime belongs to the parent process: its threads do not exist after fork()");
  }
}

void require_runtime(std::uint64_t runtime_id, const char* what) {
  // The calling task keeps its runtime alive.
  if (current_worker != nullptr && current_worker->runtime_id() == runtime_id) return;
  static_cast<void>(find_engine(runtime_id, what));
}

void describe_live_engines(int descriptor) noexcept {
  const std::unique_lock lock(live_lock, std::try_to_lock);
  if (!lock.owns_lock()) {
    write_all(descriptor, "evencube: a runtime is just being made or destroyed; ask again\n");
    return;
  }
  bool none = true;
  for (engine* e = first_live; e != nullptr; e = e->next_live()) {
    if (e->retired()) continue;
    none = false;
    text_line heading;
    heading << "runtime " << number_of(*e) << ":\n";
    write_all(descriptor, heading.text());
    e->describe_to(descriptor);
  }
  if (none) write_all(descriptor, "evencube: no runtime\n");
}

void forget_live_engines(std::uint64_t inherited) noexcept {
  inherited_numbers.store(inherited, std::memory_order_relaxed);
  // The thread that held the lock stayed in the parent.
  ::new (static_cast<void*>(&live_lock)) basic_futex_lock<>;
  first_live = nullptr;
}

void ensure_thread_of(std::uint64_t runtime_id) {
  struct finish {
    void operator()(engine* counted) const noexcept { counted->tracker().finish(nullptr); }
  };
  std::unique_ptr<engine, finish> lone;
  {
    const std::lock_guard lock(live_lock);
    for (engine* e = first_live; e != nullptr; e = e->next_live()) {
      if (number_of(*e) != runtime_id || e->retired()) continue;
      if (e->workers().size() != 1 || e->workers().seat().has_standby()) return;
      e->tracker().add(nullptr);
      lone.reset(e);
      break;
    }
  }
  if (lone != nullptr) lone->workers().ensure_standby();
}

engine_pin::engine_pin(std::uint64_t runtime_id) {
  worker* const here = current_worker;
  if (here != nullptr && here->workers().sleepers().id == runtime_id) {
    // The calling task keeps its runtime alive.
    pinned_ = &static_cast<engine&>(here->workers().host());
    return;
  }
  if (roles_here.ends != nullptr && roles_here.own->number() == runtime_id) {
    // The runtime waits for this thread, which runs by itself the tasks that it begins.
    pinned_ = roles_here.own;
    return;
  }
  const std::lock_guard lock(live_lock);
  for (engine* e = first_live; e != nullptr; e = e->next_live()) {
    if (number_of(*e) != runtime_id || e->retired()) continue;
    e->tracker().add(nullptr);
    pinned_ = e;
    counted_ = true;
    return;
  }
  throw error("future: its runtime is gone, and can run nothing more");
}

engine_pin::~engine_pin() {
  if (counted_) pinned_->tracker().finish(nullptr);
}

}  // namespace evencube::detail
