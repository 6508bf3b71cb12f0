#include "engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <evencube/blocking.hpp>
#include <evencube/error.hpp>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/options_check.hpp"
#include "life/refused_thread.hpp"
#include "life/thread_roles.hpp"
#include "machine/inventory.hpp"
#include "observe/live_engines.hpp"
#include "observe/statistics_text.hpp"
#include "observe/text_line.hpp"
#include "platform/platform.hpp"
#include "tasks/task_profiles.hpp"
#include "wait/group-inl.hpp"

namespace evencube::detail {

namespace {

#ifdef NDEBUG
constexpr bool has_assertions = false;
#else
constexpr bool has_assertions = true;
#endif

std::atomic<unsigned> generation{0};

// The child inherits what is known of the machine. The fork holds the locks of this data, so in the
// child no lock is held by a thread that exists only in the parent.
void take_hold_of_machine() {
  lock_inventory();
  lock_units();
}
void let_go_of_machine() {
  unlock_units();
  unlock_inventory();
}

void in_forked_child() {
  generation.fetch_add(1, std::memory_order_relaxed);
  forget_live_engines(waiting_room().last_number());
  free_profiles();
  forget_all_stops();
  // The threads that slept in the room, and the one that held its lock, exist only in the parent.
  waiting_room().begin_again_in_child();
  let_go_of_machine();
  // Tasks that have not begun are run by the parent.
  if (roles_here.own != nullptr) roles_here.own->leave_to_parent();
  if (worker* const here = worker_even_if_blocking()) {
    static_cast<engine&>(here->workers().host()).leave_to_parent();
  }
}

// The machine on which the workers are placed.
machine machine_for(const runtime_options& options) {
  return discover_machine({.synthetic = options.synthetic_machine});
}

// The workers are placed on the machine `hardware`, and their threads run on this machine.
workers_settings settings_of(const runtime_options& options, const machine& hardware,
                             const hot_phases& phases) {
  const std::size_t units =
      options.synthetic_machine.empty() ? hardware.units.size() : discover_machine().units.size();
  const bool idle_leads = options.mode == balancer_mode::on_idle ||
                          options.mode == balancer_mode::on_demand ||
                          (options.mode == balancer_mode::automatic && options.workers == 1);
  return {.workers = options.workers,
          .spare_workers = options.spare_workers,
          // If there are more workers than units, a spinning worker only delays the worker whose
          // work it waits for.
          .spin_ns = options.workers <= units ? 20'000 : 0,
          .hot = options.hotness,
          .hot_until = &phases.until(),
          .fill_machine = options.workers >= units,
          .idle_leads = idle_leads,
          .pulls = options.pulls,
          .largest_first = options.largest_first,
          .threshold = options.threshold,
          .injection_capacity = options.injection_capacity,
          .check_waits = options.check_waits.value_or(has_assertions),
          .measures_costs = options.measured_costs,
          .observes_workers = options.observer != nullptr,
          .observes_tasks = dynamic_cast<task_observer*>(options.observer.get()) != nullptr};
}

// Names the thread that could not be made. Threads are made in this order: workers, spare workers,
// balancer.
std::string whose(std::uint32_t k, const all_workers& workers) {
  if (k >= workers.everyone()) return "the balancer";
  if (k < workers.size())
    return "worker " + std::to_string(k) + " of " + std::to_string(workers.size());
  return "spare worker " + std::to_string(k - workers.size()) + " of " +
         std::to_string(workers.everyone() - workers.size());
}

}  // namespace

unsigned fork_generation() noexcept {
  static const bool registered =
      follow_forks(&take_hold_of_machine, &let_go_of_machine, &in_forked_child);
  static_cast<void>(registered);
  return generation.load(std::memory_order_relaxed);
}

// Registered before there are threads. Otherwise a thread could begin this initialization, and a
// child forked meanwhile would wait for that thread for ever.
[[maybe_unused]] static const unsigned generation_at_start = fork_generation();

engine::engine(evencube::runtime& interface, runtime_options options)
    : interface_(interface),
      machine_(machine_for(options)),
      options_(checked_options(std::move(options), machine_, reason_)),
      placement_(place_workers(machine_, options_.workers)),
      topology_(evencube::topology::cube(options_.workers)),
      fork_generation_(detail::fork_generation()),
      phases_(std::make_shared<hot_phases>()),
      task_observer_(dynamic_cast<task_observer*>(options_.observer.get())),
      quota_(options_.workers,
             options_.synthetic_machine.empty() ? machine_.quota : discover_machine().quota,
             now_ns(), "/"),
      migration_(topology_, settings_of(options_, machine_, *phases_), options_.mode,
                 make_strategy(options_.balancer.name(), options_.options,
                               options_.transmission.text(), topology_)),
      workers_(settings_of(options_, machine_, *phases_), *this, migration_, waiting_room()),
      tracker_(workers_, nullptr),
      number_(workers_.sleepers().id),
      unbound_(options_.workers) {
  remember_units(options_.synthetic_machine.empty() ? machine_ : discover_machine());
  for (const unsigned unit : placement_) {
    bound_to_.push_back(units_to_pin_to(machine_, unit, options_.pin_to));
  }
  std::vector<double> speeds;
  for (const unsigned unit : placement_) speeds.push_back(machine_.units[unit].capacity);
  migration_.begin(workers_, std::move(speeds), options_.experimental.measured_speeds);
  stats_base_ = snapshot();
  std::uint32_t k = 1;
  try {
    for (; k < workers_.size(); ++k) threads_.emplace_back([this, k] { thread_main(k); });
    for (; k < workers_.everyone(); ++k) threads_.emplace_back([this, k] { spare_main(k); });
    if (!workers_.settings().idle_leads && workers_.size() > 1) {
      threads_.emplace_back([this] { serve_rounds(); });
    }
  } catch (const std::system_error& failure) {
    stop_threads();
    throw_refused_thread(failure, whose(k, workers_));
  } catch (...) {
    stop_threads();
    throw;
  }
  enlist(*this);
}

bool engine::in_forked_child() const noexcept {
  return fork_generation_ != generation.load(std::memory_order_relaxed);
}

bool engine::must_be_abandoned() noexcept {
  return in_forked_child() || is_inside(workers_) || held_here() || roles_here.own == this ||
         roles_here.tells == this || waits_for_caller();
}

// True if the calling thread runs a task of another runtime for which tasks of this runtime have
// waited. A task of this runtime may then be waiting for the caller, so its end must not be waited
// for. The last of the workers may be about to park, so this function looks several times.
bool engine::waits_for_caller() noexcept {
  const worker* const caller = worker_even_if_blocking();
  if (caller == nullptr) return false;
  try {
    permit_wait(caller->workers(), workers_.sleepers().id);
    return false;
  } catch (const error&) {
  } catch (const std::bad_alloc&) {
    return false;  // this runtime does not record that wait
  }
  constexpr int looks = 50;
  for (int i = 0; i < looks; ++i) {
    if (workers_.nothing_left(tracker_)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

void engine::thread_main(std::uint32_t k) {
  roles_here.own = this;
  name_current_thread(options_.name, std::to_string(k));
  if (binds()) bind_here(k);
  worker& self = workers_.at(k);
  current_worker = &self;
  sits(k, own_clock());
  observe(observed::started, k);
  while (self.work_until_dry()) self.idle();
  self.put_in_order();
  end_thread(self, false);
  observe(observed::stopped, k);
}

void engine::leave_to_parent() noexcept {
  for (std::uint32_t k = 0; k < workers_.everyone(); ++k) {
    workers_.at(k).bell().raise(signal_stop);
  }
  workers_.seat().standby_bell().raise(signal_stop);
  migration_.stop();
}

void engine::end_thread(worker& was, bool takes_seat) noexcept {
  if (in_forked_child()) {
    // This is the only thread of the child, and it has nothing to which it could return.
    write_all(2,
              "evencube: a forked child has come to the end of the task in which it was forked; it "
              "must end within that, by _exit or exec\n");
    std::_Exit(EXIT_FAILURE);
  }
  current_worker = nullptr;
  if (!takes_seat) was.set_deserted(true);
  roles_here.ends = &was;
  roles_here.takes_seat = takes_seat;
  roles_here.drains = true;
}

// The thread acts as its former worker again. No other thread is that worker, and the calling
// thread itself runs the tasks that `call` queues.
template <typename Call>
bool engine::call_on_ending_thread(Call&& call) {
  if (roles_here.own != this || roles_here.ends == nullptr || roles_here.scopes != nullptr) {
    return false;
  }
  thread_roles before = roles_here;
  struct seat {
    engine& owner;
    const thread_roles& was;
    explicit seat(engine& joined, const thread_roles& roles) : owner(joined), was(roles) {
      // Another ending thread may occupy the seat, or its last occupant may not have left yet.
      while (was.takes_seat && !owner.workers_.take_seat(occupant::standby)) {
        std::this_thread::yield();
      }
      roles_here.ends = nullptr;
      roles_here.tells = nullptr;
      current_worker = was.ends;
    }
    seat(const seat&) = delete;
    seat& operator=(const seat&) = delete;
    ~seat() {
      if (was.drains) {
        // The stop bit that ended the loop of the worker must not end this loop.
        while (!was.ends->work_until_dry()) was.ends->bell().take();
        was.ends->put_in_order();
      }
      current_worker = nullptr;
      roles_here = was;
      if (was.takes_seat) {
        was.ends->counters().begin_idle(now_ns());
        owner.workers_.leave_seat();
      }
    }
  } const here(*this, before);
  call(*before.ends);
  return true;
}

bool engine::run_on_ending_thread(slot_word word, const task_label& label) {
  return call_on_ending_thread([&](worker& self) { self.run_at_once(word, label); });
}

void engine::sits(std::uint32_t k, thread_clock clock) noexcept {
  if (speed_meter* const meter = migration_.meter()) meter->sits(k, clock);
}

// Meanwhile the thread counts as a thread outside. If the observer does something that it should
// not, then it acts as a thread outside, and not as a task that spawns into a queue whose worker is
// about to sleep.
void engine::observe(observed what, std::uint32_t k) noexcept {
  observer* const observed = options_.observer.get();
  if (observed == nullptr) return;
  worker* const here = std::exchange(current_worker, nullptr);
  const engine* const told = std::exchange(roles_here.tells, this);
  try {
    switch (what) {
      case observed::started:
        observed->worker_started(k);
        break;
      case observed::stopped:
        observed->worker_stopped(k);
        break;
      case observed::parks:
        observed->worker_parks(k);
        break;
      case observed::wakes:
        observed->worker_wakes(k);
        break;
      case observed::task_begins:
        task_observer_->task_begins(k);
        break;
      case observed::task_ended:
        task_observer_->task_ended(k);
        break;
    }
  } catch (...) {
    failed_observations_.fetch_add(1, std::memory_order_relaxed);
  }
  roles_here.tells = told;
  current_worker = here;
}

bool engine::quota_leaves_room(std::int64_t& now) noexcept {
  if (quota_.claim_reading(now)) {
    quota_.read();
    now = now_ns();
  }
  return quota_.leaves_room();
}

void engine::spare_main(std::uint32_t k) {
  roles_here.own = this;
  name_current_thread(options_.name, "s" + std::to_string(k - workers_.size()));
  current_worker = &workers_.at(k);
  observe(observed::started, k);
  workers_.serve_spare(k);
  end_thread(workers_.at(k), false);
  observe(observed::stopped, k);
}

void engine::bind_spare(std::uint32_t place) noexcept {
  if (binds() && !set_thread_affinity(bound_to_[place])) {
    unbound_[place].store(true, std::memory_order_relaxed);
  }
}

void engine::bind_here(std::uint32_t k) noexcept {
  const std::vector<unsigned>& units = bound_to_[k];
  const bool bound =
      (units.size() == 1 ? pin_current_thread(units[0]) : set_thread_affinity(units)) &&
      runs_only_on(units);
  if (!bound) unbound_[k].store(true, std::memory_order_relaxed);
}

void engine::bind_caller() noexcept {
  if (!caller_was_bound_) {
    caller_was_bound_ = true;
    bind_here(0);
    return;
  }
  // This is called by every `run`, mostly after a pause, when all code of hwloc would have to be
  // fetched into the cache. That took 10 of the 40 us until the first task.
  if (!set_thread_affinity(bound_to_[0])) unbound_[0].store(true, std::memory_order_relaxed);
}

// Two workers on one unit take as long as one worker, until the system moves one of them, after
// milliseconds.
bool engine::stands_in_the_way() const noexcept {
  const int unit = unit_under_thread();
  const auto has_it = [unit](const std::vector<unsigned>& units) {
    return std::any_of(units.begin(), units.end(),
                       [unit](unsigned other) { return std::cmp_equal(other, unit); });
  };
  return !has_it(bound_to_.front()) && std::any_of(bound_to_.begin() + 1, bound_to_.end(), has_it);
}

std::string engine::reason() const {
  std::string text = reason_;
  for_each_unbound([&](std::string_view more) { text += more; });
  return text;
}

std::string engine::describe() const {
  std::string text;
  for_each_line([&](std::string_view more) { text += more; });
  return text;
}

void engine::describe_to(int descriptor) const noexcept {
  for_each_line([&](std::string_view more) { write_all(descriptor, more); });
}

template <typename Tell>
void engine::for_each_unbound(Tell&& tell) const {
  bool first = true;
  for (std::size_t k = 0; k < unbound_.size(); ++k) {
    if (!unbound_[k].load(std::memory_order_relaxed)) continue;
    text_line line;
    line << (std::exchange(first, false) ? "; the system refuses to bind worker " : ", ") << k;
    tell(line.text());
  }
}

template <typename Tell>
void engine::for_each_line(Tell&& tell) const {
  for (std::uint32_t k = 0; k < workers_.everyone(); ++k) {
    text_line line;
    workers_.at(k).describe(line);
    tell(line.text());
  }
  text_line line;
  workers_.describe(line);
  tell(line.text());
  tell(reason_);
  for_each_unbound(tell);
  tell("\n");
}

void engine::start_standby() {
  try {
    standby_ = std::thread([this] {
      roles_here.own = this;
      name_current_thread(options_.name, "0");
      if (binds()) bind_here(0);
      current_worker = &workers_.at(0);
      standby_clock_.store(own_clock(), std::memory_order_relaxed);
      sits(0, standby_clock_.load(std::memory_order_relaxed));
      workers_.serve_standby();
      end_thread(workers_.at(0), true);
    });
  } catch (const std::system_error& failure) {
    throw_refused_thread(failure, "worker 0 of " + std::to_string(workers_.size()));
  }
}

/// While this object lives, the calling thread sits in the caller's seat and runs a function there.
struct engine::seated {
  engine& owner;
  worker& self;
  std::optional<affinity_guard> affinity;

  seated(engine& joined, const void* function, const run_options& options)
      : owner(joined), self(joined.workers_.at(0)) {
    try {
      // A lone worker has no other worker to be kept apart from.
      if (owner.workers_.size() > 1 && owner.binds()) {
        if (options.pin) {
          affinity.emplace();
          owner.bind_caller();
        } else if (owner.stands_in_the_way()) {
          const affinity_guard free_again;
          owner.bind_caller();
        }
      }
    } catch (...) {
      self.counters().busy.store(false, std::memory_order_relaxed);
      owner.workers_.end_call_at_seat();  // the seat has no thread any more (shutdown.drained)
      owner.workers_.leave_seat();
      throw;
    }
    current_worker = &self;
    // Nobody asks for the speed of a lone worker.
    if (owner.workers_.size() > 1) owner.sits(0, own_clock());
    self.seat_caller(true);
    owner.observe(observed::started, 0);
    if (owner.task_observer_ != nullptr) owner.observe(observed::task_begins, 0);
    self.counters().busy.store(true, std::memory_order_relaxed);
    if (self.log() != nullptr) self.log()->add_root(function);
  }
  seated(const seated&) = delete;
  seated& operator=(const seated&) = delete;
  ~seated() {
    if (self.log() != nullptr) self.log()->add(event_kind::ended, nullptr);
    self.counters().busy.store(false, std::memory_order_relaxed);
    owner.workers_.end_call_at_seat();
    if (owner.task_observer_ != nullptr) owner.observe(observed::task_ended, 0);
    owner.observe(observed::stopped, 0);
    self.seat_caller(false);
    current_worker = nullptr;
    affinity.reset();
    if (owner.workers_.size() > 1)
      owner.sits(0, owner.standby_clock_.load(std::memory_order_relaxed));
    if (owner.workers_.leave_seat() && owner.workers_.size() == 1) owner.leave_work_to_standby();
  }
};

// If there are other workers, they run the tasks that a caller of `run` left in the queue. A lone
// worker needs the standby thread for that. In a forked child, the tasks that are left run in the
// parent.
void engine::leave_work_to_standby() noexcept {
  if (in_forked_child()) return;
  try {
    workers_.ensure_standby();
    workers_.announce_work();
  } catch (...) {  // a thread that waits for these tasks tries again, and throws the error
  }
}

// The caller's seat may be free because the task in it was stopped. The stopping thread may be just
// about to request this stop, but a refused caller must find groups stopped.
void engine::refuse_call_at_seat() {
  request_stop(stop_, &workers_);
  refuse_stopped();
}

namespace {

// True if the calling thread may be more to an engine than a thread outside.
bool has_a_role() noexcept {
  const thread_roles& roles = roles_here;
  return roles.holds != nullptr || roles.tells != nullptr || roles.own != nullptr;
}

}  // namespace

void engine::run(void (*call)(void*), void* context, const run_options& options) {
  check_alive();
  if (worker_of(workers_) != nullptr) {
    call(context);
    return;
  }
  if (has_a_role()) {
    check_not_holder("run()");
    if (!stopped() && call_on_ending_thread([&](worker&) { call(context); })) return;
    check_not_own("run()");
  }
  // The worker of another runtime keeps this role, because it may be needed there.
  if (current_worker == nullptr && is_lone()) {
    if (run_alone(call, context)) return;
  } else if (current_worker == nullptr &&
             workers_.take_seat(occupant::caller, reinterpret_cast<const void*>(call))) {
    // Another worker will be needed soon, unless the function is known to be short, and waking one
    // takes longer than binding this thread to its unit.
    if (!workers_.seat().runs().alone()) workers_.wake_one_idle();
    const seated here(*this, context, options);
    if (stopped()) refuse_call_at_seat();
    call(context);
    return;
  }
  if (options.here_only) throw error("run: the calling thread cannot be worker 0 now");
  if (current_worker != nullptr && !current_worker->workers().host().left_behind()) {
    permit_wait(current_worker->workers(), workers_.sleepers().id);
  }
  group_core group(workers_, nullptr);
  // The group has no parent, so its task is dropped only if the runtime is stopped.
  group.stop().check_stops = true;
  bool began = false;
  const auto noting = [&began, call, context] {
    began = true;
    call(context);
  };
  spawn_into(group, noting, {});
  group.wait(current_worker);
  group.failure().rethrow();
  if (!began) refuse_stopped();
}

void engine::inject(slot_word word, std::optional<unsigned> preferred, const task_label& label) {
  check_alive();
  if (workers_.stopping()) {
    if (run_on_ending_thread(word, label)) return;
    refuse_stopped();
  }
  // A resumption of a coroutine has no function of its own, and counts as one quantum.
  if (workers_.settings().measures_costs && label.type != nullptr) {
    word = with_measured_cost(word, label.type);
  }
  note_sent(word, preferred, label);
  workers_.inject(word, preferred);
}

void engine::inject_with_priority(slot_word word, priority level, const task_label& label) {
  check_alive();
  if (workers_.stopping()) {
    if (run_on_ending_thread(word, label)) return;
    refuse_stopped();
  }
  note_sent(word, std::nullopt, label);
  workers_.inject_with_priority(word, level);
}

void engine::note_sent(slot_word sent, std::optional<unsigned> home,
                       const task_label& label) noexcept {
  // In a forked child the lock may be held by a thread that does not exist there.
  if (!recording_.load(std::memory_order_relaxed) || in_forked_child()) return;
  const std::lock_guard lock(recorder_mutex_);
  if (recorder_ != nullptr) recorder_->spawned_outside(sent, home, label);
}

void engine::end_group(group_core& group) {
  if (fork_generation_ != generation.load(std::memory_order_relaxed)) return;  // the parent's tasks
  // Away from the owner, an empty group is not waited for: only the owner could wait for it, and by
  // the rules for groups it has done so.
  if (group.owner() != nullptr && group.owner() != current_worker &&
      group.count().done_for_owner()) {
    return;
  }
  group.wait(current_worker);
}

void engine::use(const std::string& balancer, const balancer_options& options,
                 const std::string& transmission) {
  check_alive();
  check_pulls(balancer, options_.pulls);
  migration_.use(make_strategy(balancer, options, transmission, topology_));
  // Workers that sleep because the old strategy had nothing for them look for work again.
  for (std::uint32_t k = 0; k < workers_.everyone(); ++k) {
    workers_.at(k).bell().raise(signal_work);
  }
  workers_.seat().standby_bell().raise(signal_work);  // the standby thread sleeps on this bell
}

void engine::check_alive() const {
  if (fork_generation_ != generation.load(std::memory_order_relaxed)) {
    throw error(
        "this runtime belongs to the parent process: its threads do not exist after fork()");
  }
}

void check_future_process(unsigned made_in) {
  if (made_in != generation.load(std::memory_order_relaxed)) {
    throw error(
        "future: its task belongs to the parent process, whose threads do not exist after fork()");
  }
}

counter_snapshot engine::snapshot() const {
  statistics all;
  const std::int64_t now = now_ns();
  auto& workers = const_cast<detail::all_workers&>(workers_);
  for (std::uint32_t k = 0; k < workers_.everyone(); ++k) {
    auto& kind = k < workers_.size() ? all.workers : all.spare_workers;
    const worker_counters& c = workers.at(k).counters();
    const std::int64_t since = c.idle_since.load(std::memory_order_relaxed);
    const std::int64_t idle =
        c.idle_ns.load(std::memory_order_relaxed) + (since != 0 ? now - since : 0);
    kind.push_back(
        {.executed = c.executed.load(std::memory_order_relaxed),
         .received =
             c.received.load(std::memory_order_relaxed) + c.arrived.load(std::memory_order_relaxed),
         .parks = c.parks.load(std::memory_order_relaxed),
         .busy_seconds = static_cast<double>(-idle) * 1e-9,
         .awake_seconds = static_cast<double>(c.awake_ns.load(std::memory_order_relaxed)) * 1e-9,
         .wakeups_avoided = c.wakeups_avoided.load(std::memory_order_relaxed)});
    all.tasks_moved += kind.back().received;
    for (std::size_t i = 0; i < round_answers; ++i) {
      all.requests.*request_counts[i] += c.requests[i].load(std::memory_order_relaxed);
    }
  }
  for (unsigned i = 0; i < topology_.dimensions(); ++i) {
    all.moved_by_rounds.push_back(migration_.moved(move_kind::round, i));
    all.moved_by_pulls.push_back(migration_.moved(move_kind::pull, i));
    all.moved_by_rescues.push_back(migration_.moved(move_kind::rescue, i));
    all.moved_by_dimension.push_back(all.moved_by_rounds.back() + all.moved_by_pulls.back() +
                                     all.moved_by_rescues.back());
  }
  all.rounds = migration_.count();
  all.steps_by_helpers = migration_.helped();
  all.failed_rounds = migration_.failed();
  all.failed_observations = failed_observations_.load(std::memory_order_relaxed);
  all.balancing_seconds = static_cast<double>(migration_.spent_ns()) * 1e-9;
  // These are sums. The means are computed when two snapshots are compared.
  all.imbalance_before = migration_.imbalance_before();
  all.imbalance_after = migration_.imbalance_after();
  all.balancer_thread_seconds = static_cast<double>(migration_.thread_ns()) * 1e-9;
  return {now, std::move(all)};
}

statistics engine::stats() const {
  check_alive();
  const std::lock_guard lock(stats_mutex_);
  statistics all = between(stats_base_, snapshot());
  if (options_.measured_costs) all.task_costs = measured_costs();
  return all;
}

void engine::tell_statistics() const noexcept {
  try {
    const double seconds = static_cast<double>(now_ns() - stats_base_.at) * 1e-9;
    const std::string title = "EvenCube, runtime " + std::to_string(number_) + ": " +
                              std::to_string(options_.workers) + " workers, balancer " +
                              options_.balancer.name();
    std::fputs(text_of(stats(), seconds, title).c_str(), stderr);
  } catch (...) {
    // The program ends without it.
  }
}

void engine::reset_stats() {
  check_alive();
  const std::lock_guard lock(stats_mutex_);
  stats_base_ = snapshot();
}

}  // namespace evencube::detail
