// The members of a future that need the engine: waits, and continuations.

#include <evencube/error.hpp>
#include <evencube/future.hpp>
#include <utility>

#include "engine/engine.hpp"
#include "futures/future_news.hpp"
#include "futures/future_waiting.hpp"
#include "observe/live_engines.hpp"
#include "wait/group-inl.hpp"

namespace evencube::detail {

bool wait_for_future(future_core& awaited, std::int64_t deadline_ns) {
  if (awaited.done()) return true;
  awaited.check_alive();
  worker* const caller = current_worker;
  if (caller == nullptr || caller->workers().host().left_behind()) {
    check_may_wait_for(awaited.runtime_id());
    // A caller of `run` may have left the task to a lone worker whose thread could not be made.
    ensure_thread_of(awaited.runtime_id());
    future_wait<std_policy> wait{awaited};
    if (deadline_ns == no_deadline) {
      wait_outside(waiting_room(), wait);
    } else {
      wait_outside(waiting_room(),
                   limited_wait<std_policy, future_wait<std_policy>>{wait, deadline_ns});
    }
    return awaited.done();
  }
  permit_wait(caller->workers(), awaited.runtime_id());
  if (awaited.needs() != nullptr && caller->workers().sleepers().id == awaited.runtime_id()) {
    permit_wait_for_coroutines(caller->workers());
    wait_for_tree(*caller, awaited, any_changes, deadline_ns);
  } else if (deadline_ns == no_deadline) {
    caller->wait_for(awaited);
  } else {
    future_wait<std_policy> wait{awaited};
    wait_here(*caller, wait, deadline_ns);
  }
  return awaited.done();
}

std::uint64_t runtime_of_continuation(const future_core& antecedent) {
  antecedent.check_process();
  if (antecedent.runtime_id() != 0) return antecedent.runtime_id();
  if (current_worker != nullptr) return runtime_id_here();
  throw error(
      "future: it has no runtime, because it was made ready outside of tasks; call then() inside a "
      "task, or name the runtime when you make it");
}

std::uint64_t runtime_id_of(all_workers& workers) noexcept { return workers.sleepers().id; }
std::uint64_t runtime_id_here() noexcept {
  return current_worker != nullptr ? current_worker->workers().sleepers().id : 0;
}

void continue_with(future_core& antecedent, future_core& consumer, const spawn_options& options) {
  worker* const here = current_worker;
  if (here != nullptr && here->arena() != nullptr &&
      here->workers().sleepers().id == consumer.runtime_id()) {
    consumer.put_into(*here->arena());
  }
  const bool plain = options.cost == 1 && !options.home && options.priority == priority::normal;
  if (plain && antecedent.attach(consumer, 0)) return;
  const engine_pin runtime(consumer.runtime_id());
  all_workers& workers = runtime.get().workers();
  if (!plain) {
    check_spawn_options(workers, options);
    if (antecedent.attach(consumer, 0)) return;
  }
  consumer.release();
  spawn_options named = options;
  if (named.name == nullptr) named.name = "continuation";
  spawn_future(workers, consumer, named);
}

void need_several(future_core& consumer) noexcept {
  future_news news;
  attach_all(consumer, news);
}

std::uint64_t common_runtime(future_core* const* futures, std::size_t count) {
  std::uint64_t runtime = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t its = futures[i]->runtime_id();
    if (its == 0) continue;
    if (runtime != 0 && its != runtime) {
      throw error("when_all, when_any: the futures are of different runtimes");
    }
    runtime = its;
  }
  return runtime;
}

}  // namespace evencube::detail
