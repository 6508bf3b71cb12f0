#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "explored_engine.hpp"
#include "explored_future.hpp"
#include "futures/future_waiting.hpp"

namespace evencube::test {

using explorer::require;
using core = detail::basic_future_core<engine_policy>;
using future = explored_future<engine_policy>;
using kind = future::kind;

/// Some futures whose tasks the workers of an engine run.
template <unsigned Futures>
struct search_scene : explorer::scenario {
  struct task_fate : future::fate {
    search_scene* of = nullptr;
    /// What its task does first.
    std::function<void(engine_worker&)> body = [](engine_worker&) {};
  };

  std::unique_ptr<explored_engine> engine = std::make_unique<explored_engine>(2);
  explored_news<engine_policy> news{engine->workers().room()};
  engine_group tracker{engine->workers(), nullptr};
  std::array<task_fate, Futures> fates{};

  search_scene() {
    for (task_fate& f : fates) f.of = this;
    engine->workers().take_seat(detail::occupant::caller);
    engine->workers().seat().set_standby();
  }

  static void execute(detail::task& self, detail::runner& by) noexcept {
    auto& task = static_cast<future&>(self);
    auto& on = static_cast<engine_worker&>(by);
    auto& to = static_cast<task_fate&>(task.what());
    to.body(on);
    task.compute();
    detail::end_task<engine_policy>(task, false, on, to.of->tracker, to.of->news);
    to.of->tracker.finish(nullptr);
  }
  [[nodiscard]] std::uint64_t id() { return engine->workers().sleepers().id; }
  future* make(unsigned k) {
    auto* const made = new future(fates[k], &execute, id());
    made->parent_ = &tracker;
    tracker.add(nullptr);
    return made;
  }
  future* make(unsigned k, kind what, std::vector<future*> antecedents) {
    auto* const made = new future(fates[k], what, std::move(antecedents), &execute, id());
    detail::attach_all<engine_policy>(*made, news);
    return made;
  }
  /// `then`, by a worker.
  future* go_on(engine_worker& by, unsigned k, future* antecedent) {
    auto* const made = new future(fates[k], kind::then, {antecedent}, &execute, id());
    if (antecedent->attach(*made, 0)) return made;
    made->parent_ = &tracker;
    tracker.add(nullptr);
    made->release();
    by.spawn(slot_of(made), std::nullopt);
    return made;
  }
  static detail::slot_word slot_of(const future* queued) {
    return detail::make_slot(queued, 1) | detail::future_bit;
  }
  /// It has been begun by a worker, whose slot is gone.
  future* make_begun(unsigned k) {
    future* const made = make(k);
    require(made->begin(), "somebody has begun it");
    return made;
  }
  void run_begun(engine_worker& by, future* begun) {
    by.run_begun(*begun);
    begun->drop();
  }
  void wait(engine_worker& by, future* root) {
    detail::wait_for_tree<engine_policy>(by, *root, news.changes, detail::no_deadline);
    require(root->done(), "the wait ended before its future");
  }
  /// So many tasks have run, and with the queues nothing is left.
  void check_fates(const std::array<unsigned, Futures>& runs) {
    engine.reset();
    for (unsigned i = 0; i < Futures; ++i) {
      require(fates[i].runs == runs[i], "a task was lost or ran twice");
    }
    for (const future::fate& f : fates) require(f.gone == 1, "a future was not dropped once");
  }
};

}  // namespace evencube::test
