#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "arenas/arena-inl.hpp"
#include "engine/worker-inl.hpp"
#include "engine/workers-inl.hpp"
#include "explored.hpp"
#include "life/blocking-inl.hpp"
#include "search/searching-inl.hpp"
#include "wait/group-inl.hpp"
#include "wait/waiting-inl.hpp"

namespace evencube::test {

/// The policy of the engine in these tests. The engine consists of the library's templates, and at
/// each step on their atomics another thread may go on. The counters of statistics and the first
/// failure of a group are std::atomic here as well, because no protocol rests on them.
struct engine_policy : explorer::explored {
  /// Every slot is a variable that each schedule makes again.
  static constexpr std::size_t queue_capacity = 8;

  static std::int64_t now() { return now_ns(); }
  static void execute(detail::task& t, detail::basic_worker<engine_policy>& by);

  /// How long workers of the next engine stay awake before they park.
  static inline std::int64_t awake_ns = 0;

  /// The scenario's counts, in place of the counts of the process.
  struct counts {
    atomic<std::uint64_t> begun{1};
    atomic<std::uint32_t> stops{0};
  };
  static inline counts* asked = nullptr;
  static const atomic<std::uint64_t>& begun(const detail::worker_counters&) { return asked->begun; }
  static atomic<std::uint32_t>& stops() { return asked->stops; }
};

using engine_worker = detail::basic_worker<engine_policy>;
using engine_workers = detail::basic_workers<engine_policy>;
using engine_group = detail::basic_group<engine_policy>;

/// A task whose work is `body`.
struct job : detail::task {
  explicit job(std::function<void(engine_worker&)> what) : body(std::move(what)) {
    parent_ = nullptr;
    execute_ = [](detail::task& self, detail::runner& by) noexcept {
      static_cast<job&>(self).body(static_cast<engine_worker&>(by));
    };
  }
  [[nodiscard]] detail::slot_word word() const noexcept { return detail::make_slot(this, 1); }
  [[nodiscard]] detail::message alone() const noexcept {
    detail::message one;
    one.add_newest(word());
    return one;
  }

  std::function<void(engine_worker&)> body;
};

inline void engine_policy::execute(detail::task& t, engine_worker& by) { t.execute_(t, by); }

/// A round service that never plans. If the strategy is `planned`, idle workers pull from their
/// neighbours.
class no_rounds final : public detail::round_service {
 public:
  explicit no_rounds(detail::strategy_kind way) { way_.store(way, std::memory_order_relaxed); }
  detail::round_answer request(std::uint32_t) override { return detail::round_answer::nothing; }
  detail::round_answer call(std::uint32_t) override { return detail::round_answer::nothing; }
  bool help(detail::event_log*) noexcept override { return false; }
  void count_move(detail::move_kind, std::uint32_t, std::uint32_t,
                  std::uint64_t) noexcept override {}
};

/// What a caller gets that comes too late.
struct refused {};

/// A runtime without the operating system: the scenario's threads are its threads.
class explored_engine final : detail::workers_host {
 public:
  explicit explored_engine(std::uint32_t workers,
                           detail::strategy_kind way = detail::strategy_kind::none,
                           std::uint32_t spare_workers = 0)
      : rounds_(way),
        workers_({.workers = workers,
                  .spare_workers = spare_workers,
                  .spin_ns = std::exchange(engine_policy::awake_ns, 0),
                  .injection_capacity = 2},
                 *this, rounds_, room_) {
    engine_policy::asked = &asked_;
  }

  [[nodiscard]] engine_workers& workers() noexcept { return workers_; }
  [[nodiscard]] engine_worker& at(std::uint32_t k) noexcept { return workers_.at(k); }

  /// Every thread counts as one in a blocking scope.
  void block_all() noexcept { blocks_ = true; }

  // -- The work of the threads ------------------------------------------------------------------

  void serve_worker(std::uint32_t k) {
    engine_worker& self = at(k);
    while (self.work_until_dry()) self.idle();
    self.put_in_order();
  }
  /// The work of the thread that `start_standby` makes.
  void serve_standby() {
    while (begun_.load(std::memory_order_acquire) == 0) engine_policy::wait(begun_, 0);
    workers_.serve_standby();
  }
  /// The work of the thread of spare worker k.
  void serve_spare(std::uint32_t k) { workers_.serve_spare(k); }
  /// A thread outside queues a task of high or low priority.
  void enqueue(detail::slot_word word, priority level) {
    workers_.ensure_standby();
    workers_.enqueue(word, level);
  }
  /// Makes all threads end.
  void stop() {
    workers_.stop();
    start_standby();
  }

  void check_alive() const override {}
  void check_not_holder(const char*) const override {}
  [[noreturn]] void refuse_stopped() const override { throw refused(); }
  void bind_spare(std::uint32_t) noexcept override {}
  [[nodiscard]] bool blocks_here() const noexcept override { return blocks_; }
  void start_standby() override {
    begun_.store(1, std::memory_order_release);
    engine_policy::wake(begun_, 1);
  }

 private:
  explorer::atomic<std::uint32_t> begun_{0};
  bool blocks_ = false;
  engine_policy::counts asked_;
  detail::basic_waiting_room<engine_policy> room_;
  no_rounds rounds_;
  engine_workers workers_;
};

}  // namespace evencube::test
