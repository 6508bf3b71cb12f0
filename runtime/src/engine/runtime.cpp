#include <cstdint>
#include <evencube/parallel_for.hpp>
#include <evencube/runtime.hpp>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "life/thread_roles.hpp"
#include "observe/live_engines.hpp"
#include "observe/statistics_text.hpp"
#include "tasks/task_profiles.hpp"
#include "wait/group-inl.hpp"

namespace evencube {

namespace detail {

namespace {

/// The list of engines that were left as they are, where LeakSanitizer finds them. It has no lock,
/// because a forked child could inherit a lock that another thread holds.
struct abandoned_engine {
  engine* target;
  const abandoned_engine* before;
};
constinit std::atomic<const abandoned_engine*> abandoned{nullptr};

engine& engine_of(all_workers& workers) { return static_cast<engine&>(workers.host()); }

/// Makes the engine. The generation of forks is read first, so from then on a fork leaves nothing
/// half made that a child needs.
engine* make_engine(runtime& interface, runtime_options&& options) {
  static_cast<void>(fork_generation());
  auto* const made = new engine(interface, std::move(options));
  made->record_if_asked();
  return made;
}

/// Deletes the engine. If its threads cannot be joined, leaves it as it is and keeps it in a list
/// that is never destroyed.
void end_engine(engine* owner) {
  if (!owner->must_be_abandoned() && owner->comes_to_rest()) {
    if (statistics_are_asked_for()) owner->tell_statistics();
    delete owner;
    return;
  }
  auto* const kept = new abandoned_engine{owner, abandoned.load(std::memory_order_relaxed)};
  while (!abandoned.compare_exchange_weak(kept->before, kept, std::memory_order_relaxed)) {
  }
}

}  // namespace

void rethrow(std::exception_ptr& failure) {
  const std::exception_ptr taken = std::exchange(failure, nullptr);
  failure.~exception_ptr();
  std::rethrow_exception(taken);
}

void throw_outside(const char* what) {
  throw error(std::string(what) +
              ": the calling thread runs no task of a runtime; use runtime::run");
}

void throw_bound(const char* what, std::uint64_t bound, bool negative, bool index_is_signed,
                 unsigned bytes) {
  const std::uint64_t all = bytes < 8 ? (std::uint64_t{1} << (8 * bytes)) - 1 : ~std::uint64_t{0};
  const std::uint64_t most = index_is_signed ? all / 2 : all;
  const auto magnitude = negative ? 0 - bound : bound;
  throw std::invalid_argument(std::string(what) + ": the bound " + (negative ? "-" : "") +
                              std::to_string(magnitude) + " is not allowed; at least " +
                              (index_is_signed ? "-" + std::to_string(most + 1) : "0") +
                              ", at most " + std::to_string(most));
}

void throw_spent_future() {
  throw error(
      "future: it has no result to wait for: get() or then() was called before, it was moved from, "
      "or it never had one");
}

all_workers& current_workers(const char* what) {
  if (current_worker == nullptr) throw_outside(what);
  return current_worker->workers();
}

unsigned worker_count() noexcept { return current_worker->workers().size(); }

void spawn_from_outside(all_workers& workers, slot_word word, std::optional<unsigned> preferred,
                        task_label label) {
  engine_of(workers).inject(word, preferred, label);
}

void spawn_with_priority(all_workers& workers, slot_word word, priority level, task_label label) {
  if (worker* const caller = worker_of(workers)) {
    engine_of(workers).check_alive();
    workers.enqueue(word, level, caller->log(), label);
  } else {
    engine_of(workers).inject_with_priority(word, level, label);
  }
}

pooled_block allocate_outside(all_workers& workers, std::size_t size_class) {
  return engine_of(workers).allocate_outside(size_class);
}

void check_priority(priority level) {
  if (level != priority::normal && level != priority::high && level != priority::low) {
    throw std::invalid_argument("priority: " + std::to_string(static_cast<unsigned>(level)) +
                                " is not allowed; high, normal or low");
  }
}

void check_spawn_options(const all_workers& workers, const spawn_options& options) {
  if (options.cost < 1 || options.cost > max_cost) {
    throw std::invalid_argument("cost: " + std::to_string(options.cost) +
                                " is not allowed; at least 1, at most " + std::to_string(max_cost));
  }
  if (options.home && *options.home >= workers.size()) {
    throw std::invalid_argument("home: " + std::to_string(*options.home) +
                                " is no worker; at most " + std::to_string(workers.size() - 1));
  }
  if (options.priority == priority::normal) return;
  check_priority(options.priority);
  if (options.home) {
    throw std::invalid_argument("home: " + std::to_string(*options.home) +
                                " is not allowed for a task of high or low priority, which waits "
                                "for any worker; none");
  }
}

void spawn_future(all_workers& workers, future_core& task, const spawn_options& options,
                  const std::type_info* type) {
  const bool normal = options.priority == priority::normal;
  if (options.cost != 1 || options.home || !normal) check_spawn_options(workers, options);
  engine_of(workers).check_alive();
  group_core& tracker = engine_of(workers).tracker();
  task.parent_ = &tracker;
  worker* const caller = worker_of(workers);
  if (caller != nullptr && caller->arena() != nullptr && task.arena() == nullptr) {
    task.put_into(*caller->arena());
  }
  tracker.add(nullptr);
  try {
    task.set_hint(options.cost);
    slot_word word = make_slot(&task, options.cost) | future_bit;
    if (caller != nullptr && caller->measures_costs()) word = with_measured_cost(word, type);
    if (!normal) {
      spawn_with_priority(workers, word, options.priority, {options.name, type});
    } else if (caller == nullptr) {
      engine_of(workers).inject(word, options.home, {options.name, type});
    } else if (!options.home && caller->backlog_full()) {
      caller->run_at_once(word, {options.name, type});
    } else {
      caller->spawn(word, options.home, {options.name, type});
    }
  } catch (...) {
    tracker.finish(nullptr);
    throw;
  }
}

all_workers& workers_of(runtime& runtime) { return runtime.engine_->workers(); }

}  // namespace detail

namespace {

constexpr std::uintptr_t stopped_bit = 1;

/// The stop source in a group's word, or null.
std::stop_source* source_in(std::uintptr_t word) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer and a bit
  return reinterpret_cast<std::stop_source*>(word & ~stopped_bit);
}

}  // namespace

task_group::task_group() : core_(detail::current_workers("task_group"), detail::current_worker) {
  core_.stop().check_stops = true;
}

task_group::task_group(runtime& runtime)
    : core_(detail::workers_of(runtime), detail::worker_of(detail::workers_of(runtime))) {
  core_.stop().check_stops = true;
  take_number();
  // Checked before the group has tasks, because this worker might not be allowed to wait for them.
  if (detail::current_worker != nullptr) {
    detail::permit_wait(detail::current_worker->workers(), core_.its_runtime().sleepers().id);
  }
}

task_group::task_group(std::stop_token token) : task_group() {
  on_stop_.emplace(std::move(token), stopper{this});
}

task_group::task_group(runtime& runtime, std::stop_token token) : task_group(runtime) {
  on_stop_.emplace(std::move(token), stopper{this});
}

void task_group::take_number() {
  if (core_.owner() != nullptr) return;
  runtime_id_ = core_.its_runtime().sleepers().id;
  // Throws on a thread that could not wait for the group. A thread that has left its loop may make
  // one, because the tasks that it spawns run at once.
  if (detail::roles_here.ends == nullptr) core_.its_runtime().host().check_not_own("task_group");
}

// If the group is empty, the destructor does not touch the runtime, which may be gone.
task_group::~task_group() {
  const detail::runner* const owner = core_.owner();
  const bool empty =
      owner != detail::current_worker || owner == nullptr ? core_.count().done_for_owner() : false;
  if (!empty && (owner != nullptr || detail::exists(runtime_id_))) {
    detail::engine_of(core_.its_runtime()).end_group(core_);
  }
  on_stop_.reset();
  detail::forget_stop(core_.stop());
  // Relaxed: no other thread uses a group that is being destroyed.
  delete source_in(handed_out_.load(std::memory_order_relaxed));
}

wait_status task_group::wait() {
  if (core_.owner() != nullptr) {
    core_.wait(detail::current_worker);
  } else {
    wait_outside(detail::no_deadline);
  }
  return outcome();
}

std::optional<wait_status> task_group::wait_limited(std::int64_t deadline_ns) {
  const bool ended = core_.owner() != nullptr ? core_.wait(detail::current_worker, deadline_ns)
                                              : wait_outside(deadline_ns);
  if (!ended) return std::nullopt;
  return outcome();
}

wait_status task_group::outcome() {
  core_.failure().rethrow();
  return stop_requested() ? wait_status::stopped : wait_status::completed;
}

bool task_group::wait_outside(std::int64_t deadline_ns) {
  detail::check_process_of(runtime_id_);
  if (core_.count().done_for_others()) return true;
  detail::require_runtime(runtime_id_, "task_group: wait()");
  return core_.wait(detail::current_worker, deadline_ns);
}

// A group that was made outside has no parent, so only the group and the runtime can be stopped.
bool task_group::stop_requested_outside() const noexcept {
  if (detail::stopped_groups.load(std::memory_order_relaxed) == 0) return false;
  // Relaxed: as in `stop_requested` of a group.
  if (core_.stop().requested.load(std::memory_order_relaxed)) return true;
  return detail::exists(runtime_id_) && core_.stopped();
}

void task_group::request_stop() noexcept {
  // The stop is entered under the address of the node, which is the one in chains of parents.
  detail::request_stop(core_.stop(), static_cast<const detail::node*>(&core_));
  // Acquire: pairs with the release in `stop_token`; release: with its acquire.
  const std::uintptr_t before = handed_out_.fetch_or(stopped_bit, std::memory_order_acq_rel);
  if (const std::stop_source* const source = source_in(before)) {
    std::stop_source kept = *source;  // the callbacks may destroy the group
    kept.request_stop();
  }
}

void detail::task_group_access::withdraw_stop(task_group& group) noexcept {
  detail::withdraw_stop(group.core_.stop());
  // Relaxed: no token exists that would have to be notified.
  group.handed_out_.fetch_and(~stopped_bit, std::memory_order_relaxed);
}

std::stop_token task_group::stop_token() {
  // Acquire: pairs with the release below, by another thread.
  std::uintptr_t word = handed_out_.load(std::memory_order_acquire);
  if (source_in(word) == nullptr) {
    auto made = std::make_unique<std::stop_source>();
    const auto address = reinterpret_cast<std::uintptr_t>(made.get());
    // Release: pairs with the acquires above and in `request_stop`; acquire: with its release.
    while (source_in(word) == nullptr &&
           !handed_out_.compare_exchange_weak(word, word | address, std::memory_order_acq_rel,
                                              std::memory_order_acquire)) {
    }
    if (source_in(word) == nullptr) {
      static_cast<void>(made.release());  // the group owns it
      word |= address;
    }
  }
  std::stop_source& source = *source_in(word);
  if ((word & stopped_bit) != 0 || stop_requested()) source.request_stop();
  return source.get_token();
}

runtime::runtime(runtime_options options)
    : engine_(detail::make_engine(*this, std::move(options))) {}

// Writes nothing, because other threads may go on using an engine that is left as it is.
runtime::~runtime() { detail::end_engine(engine_); }

void runtime::stop() { engine_->stop(); }
bool runtime::stopped() const noexcept { return engine_->stopped(); }

void runtime::run_erased(void (*call)(void*), void* context, const run_options& options) {
  engine_->run(call, context, options);
}

unsigned runtime::workers() const noexcept { return engine_->workers().size(); }
unsigned runtime::spare_workers() const noexcept {
  return engine_->workers().everyone() - engine_->workers().size();
}
std::string runtime::reason() const { return engine_->reason(); }
const evencube::topology& runtime::topology() const noexcept { return engine_->topology(); }
const std::vector<unsigned>& runtime::placement() const noexcept { return engine_->placement(); }
const machine& runtime::hardware() const noexcept { return engine_->hardware(); }

statistics runtime::stats() const { return engine_->stats(); }
void runtime::reset_stats() { engine_->reset_stats(); }

bool runtime::balance() {
  engine_->check_alive();
  return engine_->rounds().carry_out() == detail::round_answer::moved;
}

void runtime::use_balancer(const balancer_choice& balancer, const balancer_options& options,
                           const transmission_choice& transmission) {
  engine_->use(balancer.name(), chosen_options(balancer, options), transmission.text());
}

std::string runtime::describe() const { return engine_->describe(); }
void runtime::describe_to(int descriptor) const noexcept { engine_->describe_to(descriptor); }
void describe_runtimes(int descriptor) noexcept { detail::describe_live_engines(descriptor); }

void runtime::start_recording(const recording_options& options) {
  engine_->start_recording(options);
}
recording runtime::stop_recording() { return engine_->stop_recording(); }
void runtime::save_trace(const std::string& file, const std::string& about) {
  engine_->save_trace(file, about);
}

hold_guard runtime::hold() { return hold_guard(*this); }

hold_guard::hold_guard(runtime& runtime)
    : engine_(&detail::engine_of(detail::workers_of(runtime))) {
  engine_->hold();
}
hold_guard::~hold_guard() { engine_->release(); }
std::vector<load_type> hold_guard::loads() const { return engine_->held_loads(); }
balancing_round hold_guard::balance(std::optional<unsigned> initiator) {
  return engine_->held_balance(initiator);
}
std::vector<std::vector<const void*>> hold_guard::tasks() const { return engine_->held_tasks(); }

unsigned this_worker() {
  if (detail::current_worker == nullptr) detail::throw_outside("this_worker");
  return detail::current_worker->index();
}

}  // namespace evencube
