#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <evencube/detail/arena_stack.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/contact.hpp>
#include <evencube/detail/ended_tasks.hpp>
#include <evencube/detail/search_memory.hpp>
#include <evencube/detail/std_policy.hpp>
#include <evencube/detail/stock.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/task_checks.hpp>
#include <evencube/detail/task_label.hpp>
#include <evencube/detail/task_memory.hpp>
#include <evencube/detail/task_stack.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/detail/worker_counters.hpp>
#include <evencube/priority.hpp>

namespace evencube::detail {

class first_failure;
class text_line;

/// One worker: a loop over a queue, a mailbox and a bell. This header has the path of a fork that
/// no other worker takes. The rest is in src/engine/worker-inl.hpp, src/tasks/running-inl.hpp,
/// src/wait/waiting-inl.hpp and src/search/searching-inl.hpp.
template <typename Policy>
class basic_worker : public runner {
 public:
  using workers_type = basic_workers<Policy>;
  using group_type = basic_group<Policy>;
  using frame = basic_frame<Policy>;
  using series_type = basic_series<Policy>;

  basic_worker(workers_type& workers, std::uint32_t index);
  basic_worker(const basic_worker&) = delete;
  basic_worker& operator=(const basic_worker&) = delete;
  ~basic_worker() = default;

  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] workers_type& workers() const noexcept { return *workers_; }
  /// The number of the worker's runtime. No other runtime ever has it.
  [[nodiscard]] std::uint64_t runtime_id() const noexcept { return runtime_id_; }
  [[nodiscard]] const node* running() const noexcept { return stack_.innermost()->current; }
  [[nodiscard]] const basic_task_stack<Policy>& stack() const noexcept { return stack_; }
  [[nodiscard]] frame& innermost() noexcept { return *stack_.innermost(); }

  /// True if this runtime has no other worker.
  [[nodiscard]] bool alone() const noexcept { return !stock_.others(); }

  // -- The path of tasks, owner only -------------------------------------------------------------

  /// Queues a task of one quantum. Allocates only if the queue must grow, and may then throw
  /// std::bad_alloc, with the task not queued. The name and the type are for the slow path alone.
  void push(slot_word word, const char* name = nullptr, const std::type_info* type = nullptr) {
    if (stock_.push(word)) [[unlikely]] {
      push_slow_path({name, type});
    }
  }

  /// Begins a batch of pushes, with nothing else in between. Demands for attention are answered
  /// when it ends, so all tasks of the batch are there to be shared. An end without a batch is no
  /// error.
  void begin_batch() noexcept { stock_.begin_batch(); }
  void end_batch() {
    stock_.end_batch();
    if (wanted() && Policy::checks("queue.requests: batch")) poll();
  }

  /// True if tasks count for the time that other tasks of their function took.
  [[nodiscard]] bool measures_costs() const noexcept { return checks_.sampler().enabled(); }

  /// Settles a fork that is no longer the newest private task. Returns true if it was still in this
  /// queue; it is then removed, and the caller calls it in place. Returns false once another worker
  /// has run it.
  [[gnu::noinline]] EVENCUBE_EXPORT bool settle(fork_task& forked);

  /// Runs descendants of the group, or sleeps, until the group has no tasks left, or until the time
  /// `deadline_ns` of the policy's clock. The group may be of another runtime.
  void wait_for(group_type& group, std::int64_t deadline_ns = no_deadline);
  /// Like `wait_for` a group, but until the future has ended. Runs the task of the future if it has
  /// not begun.
  void wait_for(basic_future_core<Policy>& future);

  /// Runs descendants of the target, or sleeps, until `wait` is done. `Wait` is any type with the
  /// members that src/wait/waiting.hpp lists.
  template <typename Wait>
  void wait_until(Wait& wait);
  /// Runs one descendant of `target` that is in reach. Returns false if there is none.
  bool run_below(const node& target);

  [[nodiscard]] task_memory& memory() noexcept { return memory_; }

  /// Queues a spawned task here, or sends it to its preferred worker.
  EVENCUBE_EXPORT void spawn(slot_word word, std::optional<unsigned> preferred,
                             task_label label = {});

  /// True if a new task should run at once, because the queue here is long.
  [[nodiscard]] bool backlog_full() const noexcept { return stock_.full(); }
  /// Runs a task that was never queued. Tasks that it spawns are queued, however many there are,
  /// because otherwise tasks that spawn each other would all be on one stack.
  EVENCUBE_EXPORT void run_at_once(slot_word word, task_label label = {}) noexcept;
  /// Like the function above. `call` does what the task does, and is called in place if there is
  /// nothing to check for each task.
  template <typename Call>
  void run_at_once(task& t, task_label label, Call&& call) noexcept {
    if (!checks_.none()) [[unlikely]] {
      run_at_once(make_slot(&t, 1), label);
      return;
    }
    stock_.begin_at_once();
    if (ended_.group() != nullptr && t.parent_ != ended_.group()) ended_.tell_group();
    worker_counters::add(counters_.executed, std::uint64_t{1});
    frame mine{&t, queue().head_index(), stack_.innermost()};
    stack_.enter(mine);
    call();
    // A recording may have begun meanwhile.
    if (!checks_.none()) [[unlikely]] {
      note_end_of_unchecked();
    }
    stack_.leave(mine);
    ended_.tell();
    if (stock_.end_at_once()) [[unlikely]] {
      bound_quiet();
    }
  }

  /// Runs one task, in the way in which queued tasks run.
  void run(slot_word word) noexcept;
  /// Runs the task of a future that this worker has begun itself, not through a queue.
  void run_begun(basic_future_core<Policy>& future) noexcept;

  /// The condition under which tasks may follow the beginning task in its frame.
  [[nodiscard]] series_type series_under_way() const noexcept {
    // This count is not zero while a task runs, so no task may follow.
    const series_type* const run = stack_.innermost()->run;
    return run != nullptr ? *run : series_type{&Policy::begun(counters_), 0};
  }
  /// Called by a task that has run in the frame `here`. Returns the task that runs next in the
  /// frame, already counted as begun, or null if there is none or it needs more checks. The next
  /// task has the same function and the same parent, so a wait that may run the first may run this
  /// one too. Nothing else needs the attention of this worker. If there are many small tasks,
  /// nearly all of them begin here.
  task* begin_next_of_series(const series_type& run, frame& here, const node& parent,
                             void (*function)(task&, runner&) noexcept) noexcept {
    if ((checked("parking.word: series", bell().bits()) |
         checked("queue.requests: series", lifeline().bits()) | checks_.word() |
         checked("waiting.stop-version: series", Policy::stops().load(std::memory_order_relaxed)) |
         checked("priority.first: series", run.high->load(std::memory_order_relaxed))) != 0) {
      return nullptr;
    }
    task* const next = queue().pop_if([&](const task& t, std::uint32_t place) {
      if ((t.parent_ != &parent && Policy::checks("waiting.descendants: parent")) ||
          t.execute_ != function ||
          (static_cast<std::int32_t>(place - run.floor) < 0 &&
           Policy::checks("waiting.descendants: place"))) {
        return false;
      }
      here.base = place;
      return true;
    });
    if (next == nullptr) return nullptr;
    here.current = next;
    worker_counters::add(counters_.executed, std::uint64_t{1});
    return next;
  }

  /// Calls `call` as a part of the running task, in a frame of its own. Tasks made in it are
  /// descendants of `part`. If `arena` is not null, the part is in that arena. Returns false if
  /// there is no permit; then `call` is not called.
  template <typename Call>
  bool call_part(const node& part, basic_arena<Policy>* arena, Call&& call);
  /// Takes the newest task of this worker's queue if it lies in [first, last), and if a part of the
  /// running task may go on with it at once: both are parts of the same task, and nothing else
  /// comes first. Otherwise returns null.
  [[gnu::noinline]] task* take_newest_of(const void* first, const void* last) noexcept;

  /// True if the beginning and the end of each task are noted, for a recording or an observer.
  [[nodiscard]] bool notes_tasks() const noexcept { return checks_.noted(); }

  // -- Arenas (runtime/src/arenas/arenas.md) ------------------------------------------------------

  /// Notes that there are arenas in this runtime. From now on the arena of each task is checked.
  /// Any thread may call this.
  void expect_arenas() noexcept { checks_.expect_arenas(); }
  /// Says whether this worker compares its load with the marks of the strategy before each task.
  /// Any thread may call this.
  void watch_marks(bool watched) noexcept { checks_.watch_marks(watched); }
  [[nodiscard]] bool expects_arenas() const noexcept { return checks_.arenas(); }
  /// The arena of the running task, or null.
  [[nodiscard]] basic_arena<Policy>* arena() const noexcept { return arenas_.innermost(); }
  /// True if this worker has a permit of the arena.
  [[nodiscard]] bool holds(const basic_arena<Policy>& arena) const noexcept {
    return arenas_.holds(arena);
  }
  /// Elects this worker to run the task of the future, and takes a permit for it if it needs one.
  /// If true, `run_begun` must follow at once. Returns false if there is no permit, or if another
  /// thread begins the task.
  bool begin(basic_future_core<Policy>& future) noexcept {
    return expects_arenas() ? begin_in_arena(future) : future.begin();
  }
  /// True if the future has been released and only the lack of a permit keeps it from beginning
  /// here.
  [[nodiscard]] bool lacks_permit_for(const basic_future_core<Policy>& future) const noexcept;
  /// Records the arena in which a wait could not begin a future because there was no permit; null
  /// forgets it.
  void refuse(basic_arena<Policy>* lacked) noexcept;
  /// Called when the thread of this worker is about to sleep or to block: returns the permits to
  /// others. Returns true if there were any; then `retake_permits` must follow.
  bool lend_permits() noexcept;
  void retake_permits() noexcept;
  /// Notes whether a caller of `run` sits here. Its root frame is not that of the loop.
  void seat_caller(bool sits) noexcept { stack_.seat_caller(sits); }

  [[nodiscard]] basic_ended_tasks<Policy>& ended() noexcept { return ended_; }

  [[nodiscard]] loop_stack& loops() noexcept { return stack_.loops(); }
  /// Checked between two iterations: true if another thread demands attention.
  [[nodiscard]] bool wanted() const noexcept { return queue().wanted(); }
  /// Answers demands for attention, between two iterations.
  [[gnu::noinline]] EVENCUBE_EXPORT void poll();
  /// Stores the exception being handled, and makes the loops of that failure end on all workers.
  /// Call from a handler.
  [[gnu::cold]] EVENCUBE_EXPORT void keep_failure(first_failure& failure) noexcept;

  // -- The loop, owner only ----------------------------------------------------------------------

  /// Runs tasks until no more are found. Returns false when the worker is to stop.
  bool work_until_dry();
  /// Like `work_until_dry`, but also returns between two tasks once `leaves()` is true.
  template <typename Leaves>
  bool work_until_dry(Leaves&& leaves);
  /// Leaves a request with each worker that may have work later. These workers answer when they
  /// share some. If `again` is false, a request that is still there keeps the time of its search.
  /// Any thread may call this.
  void request_neighbours(bool again = true) noexcept;
  /// Sleeps until there may be something to run.
  void idle();
  /// Stays awake until `over()`, which reads only words of this worker, or `found()`, which reads
  /// words of others too, is true, and then returns true. Returns false if neither was true for as
  /// long as the settings and `learned` allow.
  template <typename Over, typename Found>
  bool stay_awake(patience& learned, std::int64_t began, Over&& over, Found&& found) noexcept;
  /// Called before the thread of this worker ends or steps aside: reports ends that were not
  /// reported, returns freed memory, and shares everything queued.
  void put_in_order() noexcept;
  /// If a thread holds the runtime, waits here until it opens the gate.
  void stand_still() noexcept;
  /// True for a spare worker, which is outside of the cube (runtime/src/life/blocking.md).
  [[nodiscard]] bool spare() const noexcept;
  /// Sets the place that this spare worker holds, where it looks for work first.
  void sit_at(std::uint32_t place) noexcept { search_.place = place; }
  /// Called in the middle of a task, before its thread does something else for long: opens
  /// everything that this worker has to others. Returns true if the worker ran a task.
  bool leave_open() noexcept;
  /// Ends what `leave_open` began.
  void come_back(bool was_busy) noexcept;
  /// Takes all tasks that are queued here or were sent here, for another worker: calls
  /// give(message).
  template <typename Give>
  void empty_into(Give&& give) noexcept;

  // -- Its parts ---------------------------------------------------------------------------------

  [[nodiscard]] basic_split_deque<Policy>& queue() noexcept { return stock_.queue(); }
  [[nodiscard]] const basic_split_deque<Policy>& queue() const noexcept { return stock_.queue(); }
  [[nodiscard]] basic_inbox<Policy>& inbox() noexcept { return contact_.inbox(); }
  [[nodiscard]] basic_signal_word<Policy>& bell() noexcept { return contact_.bell(); }
  [[nodiscard]] basic_lifeline<Policy>& lifeline() noexcept { return contact_.lifeline(); }
  [[nodiscard]] worker_counters& counters() noexcept { return counters_; }

  /// The quanta in the queue and on their way to it, and one for the task that runs.
  [[nodiscard]] std::uint64_t load() const noexcept;

  /// True if the load is above or below the marks at which workers call the strategy.
  [[nodiscard]] bool beyond_marks() const noexcept;

  /// True if the queue is deserted, and so open to every worker (`basic_contact`).
  [[nodiscard]] bool deserted() const noexcept { return contact_.deserted(); }
  void set_deserted(bool value) noexcept { contact_.set_deserted(value); }
  void set_deserted_alone(bool value) noexcept { contact_.set_deserted_alone(value); }

  /// True if tasks have been sent that this worker has not taken yet. Seq_cst: as
  /// `basic_mailbox::empty`.
  [[nodiscard]] bool has_mail() const noexcept { return !contact_.inbox().empty(); }
  /// Moves the mail into the queue, and shares everything. Called by the owner, or for a worker
  /// that stands still.
  bool collect_mail() noexcept;
  void share_all() noexcept { share(queue().private_length()); }
  /// Adds tasks that came from elsewhere to the queue, and answers requests if `answer`. Tasks for
  /// which there is no memory go to this worker's mailbox.
  void put(message arrived, bool answer = true) noexcept;

  /// Sets the log in which the worker records what it does; null ends the recording. Changes only
  /// while all workers stand still.
  void record(event_log* log) noexcept {
    checks_.record(log, observes_tasks());
    stock_.record(log != nullptr);
  }
  [[nodiscard]] event_log* log() const noexcept { return checks_.log(); }

  /// Writes one line for people: what the worker does and holds.
  void describe(text_line& to) const noexcept;

 private:
  /// The bits that were found, or 0 if the policy leaves this check out.
  template <typename Bits>
  [[gnu::always_inline]] static Bits checked(const char* check, Bits found) noexcept {
    return Policy::checks(check) ? found : Bits{0};
  }

  // engine/worker-inl.hpp
  [[gnu::noinline]] EVENCUBE_EXPORT void push_slow_path(task_label label);
  void make_room();
  void end_failed_loops() noexcept;
  void adapt_sharing() noexcept;
  void handle_requests();
  bool promote() noexcept;
  bool halve_a_loop() noexcept;
  /// The bell that a fork of this worker rings when the fork has ended. Null for the explorer,
  /// whose forks ring by themselves.
  [[nodiscard]] void* bell_of_forks() noexcept {
    if constexpr (std::is_same_v<basic_worker, worker>) return &bell();
    return nullptr;
  }
  EVENCUBE_EXPORT void share(std::uint32_t count) noexcept;
  /// True if every push is shared, and thereby visible, at once.
  [[nodiscard]] bool open() const noexcept { return stock_.open(); }
  void note_parking(bool& told) noexcept;
  void note_waking(bool told) noexcept;
  void serve_requests() noexcept;
  void share_on_request() noexcept;
  void grant(std::uint64_t requests) noexcept;
  bool put(slot_word word) noexcept;
  /// True if tasks taken in one batch have equal costs, none of them is a fork, and the strategy
  /// keeps no order: then the oldest begins first (invariant migration.oldest-first).
  [[nodiscard]] bool begins_oldest_first(const slot_word* arrived,
                                         std::uint32_t tasks) const noexcept;
  [[nodiscard]] bool begins_oldest_first(const message& arrived) const noexcept;
  void open_what_came(bool answer) noexcept;
  slot_word next_own() noexcept;
  slot_word next_of(basic_priority_list<Policy>& list) noexcept;
  slot_word take_of(basic_priority_list<Policy>& list) noexcept;
  void adapt_batch() noexcept;
  void compare_with_marks() noexcept;
  void keep_largest_first() noexcept;
  void arrange() noexcept;

  // tasks/running-inl.hpp
  void run_plainly(slot_word word) noexcept;
  [[gnu::always_inline]] inline void execute(task& t, std::uint32_t base,
                                             const series_type* series = nullptr) noexcept;
  template <typename GoesOn, typename Wanted>
  bool run_series(GoesOn&& goes_on, Wanted&& wanted, series_type* series = nullptr) noexcept;
  void sample_soon() noexcept;
  void begin_sample(const task& begun) noexcept;
  void end_sample() noexcept;
  [[nodiscard]] cost_sampler::moment work_so_far() const noexcept;
  [[gnu::cold, gnu::noinline]] void note_begin(const task& begun) noexcept;
  [[gnu::cold, gnu::noinline]] void note_end() noexcept;
  [[gnu::cold, gnu::noinline]] EVENCUBE_EXPORT void note_end_of_unchecked() noexcept;
  [[gnu::cold, gnu::noinline]] EVENCUBE_EXPORT void bound_quiet() noexcept;
  [[nodiscard]] EVENCUBE_EXPORT bool observes_tasks() const noexcept;

  // arenas/arena-inl.hpp
  struct in_arena;
  [[gnu::noinline]] void run_checked(slot_word word) noexcept;
  [[gnu::noinline]] EVENCUBE_EXPORT bool begin_in_arena(basic_future_core<Policy>& future) noexcept;
  [[nodiscard]] static basic_arena<Policy>* arena_of(slot_word word) noexcept;
  [[nodiscard]] basic_arena<Policy>* arena_below(const node* parent) const noexcept;
  bool enter_or_park(basic_arena<Policy>& arena, slot_word word) noexcept;
  void return_permit(basic_arena<Policy>& arena) noexcept;
  [[nodiscard]] bool looks_for_next() const noexcept;
  slot_word next_parked_below(const node& target) noexcept;
  void take_again(basic_arena<Policy>& arena) noexcept;

  // search/searching-inl.hpp
  bool find_work(slot_word& found);
  bool look_for_work(bool woken, slot_word& found);
  slot_word next_injected() noexcept;
  slot_word next_of_stream() noexcept;
  slot_word next_in_turn(others_turn& turn) noexcept;
  slot_word next_parked(others_turn& turn) noexcept;
  bool raid_mailboxes() noexcept;
  slot_word rescue_one() noexcept;
  bool pull_from_neighbours(const node& wanted) noexcept;
  bool pull_from_heaviest(std::uint64_t at_most = ~std::uint64_t{0}) noexcept;
  [[nodiscard]] std::uint32_t share_of(const basic_worker& other) const noexcept;
  bool steal_at_random() noexcept;
  bool take_from_anybody(const node* wanted = nullptr) noexcept;
  void request_round() noexcept;
  std::uint32_t take_from(basic_worker& victim, std::uint32_t count, const node* wanted,
                          move_kind reason) noexcept;
  template <typename Log>
  void note_taken(move_kind reason, const basic_worker& from, std::uint32_t tasks,
                  Log&& log) noexcept;
  void answer_signals() noexcept;

  // wait/waiting-inl.hpp
  struct recorded_wait;
  struct lists_seen;
  bool take_back(const fork_task& forked);
  bool settle_recorded(fork_task& forked);
  template <typename Wait>
  void sleep_in_wait(Wait& wait, std::uint32_t& fruitless, const lists_seen& seen);
  void lower_bases() noexcept { stack_.lower_bases(queue().head_index()); }
  slot_word next_own_below(const node& target);
  template <typename Look>
  slot_word next_below(basic_priority_list<Policy>& list, const node& target,
                       Look& so_far) noexcept;
  bool take_sent_descendants(const node& target) noexcept;
  bool help(const node& target);
  bool sift(const node& target, bool everywhere) noexcept;

  basic_stock<Policy> stock_;
  basic_task_stack<Policy> stack_;
  task_checks checks_;
  basic_arena_stack<Policy> arenas_;
  task_memory memory_;
  basic_ended_tasks<Policy> ended_;
  workers_type* workers_;
  std::uint64_t runtime_id_;
  std::uint32_t index_;
  search_memory search_;
  worker_counters counters_;
  // Written by other threads.
  alignas(128) basic_contact<Policy> contact_;
};

/// The worker that the calling thread is, or null. Not inline: an inline variable would keep a
/// library from being unloaded.
#if defined(EVENCUBE_SHARED) || (defined(__PIC__) && !defined(__PIE__))
[[gnu::tls_model("initial-exec")]]  // part of a shared library: a load more, but no call
#else
[[gnu::tls_model("local-exec")]]  // part of the program, as this code: no register for its place
#endif
EVENCUBE_EXPORT extern thread_local constinit worker* current_worker;

}  // namespace evencube::detail
