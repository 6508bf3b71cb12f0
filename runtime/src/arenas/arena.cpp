#include <evencube/arena.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <evencube/error.hpp>

#include "arenas/arena-inl.hpp"
#include "engine/engine.hpp"
#include "wait/group-inl.hpp"

namespace evencube {

namespace detail {

namespace {

/// A call in an arena, in the form that `engine::run` takes.
struct call_in_arena {
  all_workers& workers;
  arena_core& arena;
  void (*call)(void*);
  void* context;
  bool here_only;

  void make() const {
    worker& here = *worker_of(workers);
    if (here.arena() == &arena) {
      call(context);
      return;
    }
    // A node of its own distinguishes loops of the call from loops around it.
    const node part{here.running()};
    if (here.call_part(part, &arena, [this] { call(context); })) return;
    if (here_only) throw error("run: no place of the arena is free now");
    // The call is part of the calling task, which goes on whatever is stopped. So it is never
    // dropped.
    group_core group(workers, &here);
    group.put_into(arena);
    spawn_into(group, [this] { call(context); }, {});
    group.wait(&here);
    group.failure().rethrow();
  }
};

std::uint64_t next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

void run_in_arena(all_workers& workers, arena_core& arena, void (*call)(void*), void* context,
                  const run_options& options) {
  call_in_arena made{workers, arena, call, context, options.here_only};
  static_cast<engine&>(workers.host())
      .run([](void* c) { static_cast<const call_in_arena*>(c)->make(); }, &made, options);
}

}  // namespace detail

arena::arena(runtime& runtime, arena_options options)
    : workers_(&detail::workers_of(runtime)), core_(nullptr) {
  if (options.workers == 0) {
    throw std::invalid_argument("workers: an arena of 0 workers is not allowed; at least 1");
  }
  core_ = new detail::arena_core(detail::next_number(),
                                 std::min<std::uint32_t>(options.workers, workers_->everyone()));
  runtime_id_ = workers_->sleepers().id;
  for (std::uint32_t k = 0; k < workers_->everyone(); ++k) workers_->at(k).expect_arenas();
}

arena::~arena() { core_->release(); }

detail::all_workers& arena::its_runtime() const {
  detail::require_runtime(runtime_id_, "arena");
  return *workers_;
}

unsigned arena::workers() const noexcept { return core_->permits(); }

task_group::task_group(arena& arena)
    : core_(arena.its_runtime(), detail::worker_of(*arena.workers_)) {
  core_.stop().check_stops = true;
  take_number();
  core_.put_into(*arena.core_);
  if (detail::current_worker != nullptr) {
    detail::permit_wait(detail::current_worker->workers(), core_.its_runtime().sleepers().id);
  }
}

}  // namespace evencube
