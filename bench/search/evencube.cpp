/// The engine as it ships, without the threads of its workers: one thread is the worker in the
/// middle, and nobody else writes, so that what lies in the caches stays there. A search looks at
/// the worker's mailbox, tasks from outside, the load of every other worker, their mailboxes and
/// queues. Rounds are not in it: planning, planner and rounds have those.
#include <cstdlib>

#include "../common/on_evencube.hpp"
#include "config.hpp"
#include "engine/worker-inl.hpp"
#include "engine/workers-inl.hpp"
#include "search/searching-inl.hpp"
#include "wait/waiting-inl.hpp"

namespace {

namespace detail = evencube::detail;

class no_rounds final : public detail::round_service {
 public:
  no_rounds() { way_.store(detail::strategy_kind::planned, std::memory_order_relaxed); }
  detail::round_answer request(std::uint32_t) override { return detail::round_answer::nothing; }
  detail::round_answer call(std::uint32_t) override { return detail::round_answer::nothing; }
  bool help(detail::event_log*) noexcept override { return false; }
  void count_move(detail::move_kind, std::uint32_t, std::uint32_t,
                  std::uint64_t) noexcept override {}
};

struct nothing : detail::task {
  nothing() {
    parent_ = nullptr;
    execute_ = [](detail::task&, detail::runner&) noexcept {};
  }
};

class engine final : detail::workers_host {
 public:
  explicit engine(unsigned workers) : workers_({.workers = workers}, *this, rounds_, room_) {}

  std::uint64_t search() {
    static_cast<void>(searching().work_until_dry());
    return searching().counters().executed.load(std::memory_order_relaxed);
  }
  /// A task for the worker that is looked at last.
  void bring() {
    detail::message one;
    one.add_newest(detail::make_slot(&task_, 1));
    workers_.send(workers_.size() - 1, one);
  }

 private:
  detail::worker& searching() { return workers_.at(workers_.size() / 2); }

  void check_alive() const override {}
  void check_not_holder(const char*) const override {}
  [[noreturn]] void refuse_stopped() const override { std::abort(); }
  void bind_spare(std::uint32_t) noexcept override {}
  void start_standby() override {}

  nothing task_;
  detail::basic_waiting_room<detail::std_policy> room_;
  no_rounds rounds_;
  detail::all_workers workers_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::search::about, {"evencube"}, argc, argv, [](auto& with) {
    engine all{with.workers()};
    return bench::search::measure(with, [&] { return all.search(); }, [&] { all.bring(); });
  });
}
