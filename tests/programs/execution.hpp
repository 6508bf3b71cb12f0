#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "interpret.hpp"
#include "ledger.hpp"
#include "watcher.hpp"

namespace evencube::programs {

using clock = std::chrono::steady_clock;

/// What tasks throw: which block did.
struct thrown {
  int block;
};

/// What is known of a group that may be stopped, or stands below one.
class stop_state {
 public:
  explicit stop_state(const stop_state* above = nullptr) : above_(above) {}
  /// One that has begun, and never ends.
  static stop_state which_began() { return stop_state(true); }

  /// Around the call that stops it. Release and acquire: who knows of it, knows it for good.
  void begin() { begun_.store(true, std::memory_order_release); }
  void end() { done_.store(true, std::memory_order_release); }
  /// It is as if nobody had stopped it. By who has waited for the group, alone.
  void withdraw() {
    begun_.store(false, std::memory_order_release);
    done_.store(false, std::memory_order_release);
  }

  [[nodiscard]] bool surely() const {
    return done_.load(std::memory_order_acquire) || (above_ != nullptr && above_->surely());
  }
  [[nodiscard]] bool perhaps() const {
    return begun_.load(std::memory_order_acquire) || (above_ != nullptr && above_->perhaps());
  }

 private:
  explicit stop_state(bool begun) : begun_(begun) {}

  const stop_state* above_ = nullptr;
  std::atomic<bool> begun_{false};
  std::atomic<bool> done_{false};
};

/// An arena, and how many work in it at the moment.
struct limited {
  limited(runtime& of, int places) : limit(of, {.workers = static_cast<unsigned>(places)}) {}

  std::atomic<unsigned> working{0};
  arena limit;
};

/// A local group while it lives, and those around it.
struct local_group {
  int name;
  task_group* group;
  ledger* tickets;
  stop_state* stops;
  std::stop_source* source;  // null: stopped by itself
  const local_group* outer;
  limited* inside = nullptr;
};

/// What stands around a step: local groups, the group whose task it is part of, the runtime.
struct surroundings {
  const local_group* groups = nullptr;
  const stop_state* stops = nullptr;
  int where = -1;
  /// The arena, as far as it is known: null says nothing.
  limited* inside = nullptr;
  /// A coroutine that could not go back to `where`, because that runtime is stopped, may run on the
  /// only worker of another runtime.
  bool elsewhere = false;
};

inline long value_of(const block& b) { return 1000 + b.id; }

/// Function objects of several sizes and kinds, whose contents show whether they arrived whole.
struct small_load {
  [[nodiscard]] bool whole() const { return true; }
};
struct large_load {
  large_load() { std::iota(numbers.begin(), numbers.end(), 7); }
  [[nodiscard]] bool whole() const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != static_cast<int>(i) + 7) return false;
    }
    return true;
  }
  std::array<int, 300> numbers{};
};
struct move_only_load {
  [[nodiscard]] bool whole() const { return number != nullptr && *number == 7; }
  std::unique_ptr<int> number = std::make_unique<int>(7);
};

/// One run of a program: what its threads and tasks do, and what is noticed.
class execution {
 public:
  execution(const program& p, const std::vector<runtime_in_use>& runtimes, const mutation& wrong)
      : program_(p),
        wrong_(wrong),
        meetings_(p.runtimes.size()),
        ends_(p.runtimes.size()),
        tasks_(p.runtimes.size()),
        futures_(static_cast<std::size_t>(p.futures)),
        flags_(static_cast<std::size_t>(p.flags)) {
    for (const runtime_in_use& r : runtimes) {
      runtimes_.push_back(r.rt);
      in_use_.push_back(r);
      told_before_.push_back(r.watching->tasks());
      if (wrong.what == mistake::tell_less) r.watching->forget_one();
      gathered_.emplace_back(*r.rt);
    }
    std::size_t blocks = 0;
    for_each_block(p, [&](const block&) { ++blocks; });
    begun_ = std::vector<std::atomic<std::int64_t>>(blocks);
    dropped_ = std::vector<std::atomic<std::int64_t>>(blocks);
    throws_.resize(blocks);
    for_each_block(p, [this](const block& b) {
      throws_[at(b.id)] = b.throws;
      for (const step& s : b.steps) {
        if (s.what == action::get_future || s.what == action::then_future ||
            s.what == action::await_future) {
          futures_[at(s.target)].passed = true;
        }
      }
    });
    for (const int of : p.groups) groups_.emplace_back(on(of), &ends_[at(of)].asked);
  }

  void run_threads();

  /// The runtimes that were made for the program are gone.
  void after_the_end();

  std::optional<std::string> verdict();

 private:
  struct shared_group {
    shared_group(runtime& of, const stop_state* above) : stops(above), group(of) {}
    ledger tickets;
    stop_state stops;
    std::mutex mutex;
    std::vector<int> caught;
    task_group group;  // the first to go: its end may wait for tasks
  };
  /// A future, how it must end, and whether the task has that ends it so: plain, see ticket.
  struct awaited {
    future<long> asked;
    const block* outcome = nullptr;
    std::shared_ptr<bool> ended;
  };
  struct shared_future {
    enum : int { none, made, taken };
    std::atomic<int> state{none};
    awaited made_of;
    bool passed = false;  // some step takes it
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] runtime& on(int of) const { return *runtimes_[at(of)]; }

  void fail(const std::string& what);

  /// Whether the mistake of this kind is to be made now.
  bool mistaken(mistake what) { return wrong_.what == what && chances_++ == wrong_.at; }

  // -------------------------------------------------------------------------------- blocks

  long run_block(const block& b, const surroundings& around);

  /// As a task of runtime `of`.
  long run_task(const block& b, int of, const surroundings& around);
  void run_step(const step& s, const surroundings& around);
  void act(const step& s, const surroundings& around);
  static void work(int microseconds);

  /// Whether `f` gives the value of `b`, or its exception if it is one that throws.
  template <typename F>
  void call(const block& b, const F& f) {
    try {
      check_value(b, f());
    } catch (const thrown& e) {
      check_exception(b, e);
    } catch (const error& e) {
      if (!is_refusal(e)) throw;
    }
  }
  void check_value(const block& b, long value) {
    if (b.throws) return fail("the exception of " + name(b) + " did not arrive");
    if (value != value_of(b)) {
      fail(name(b) + " gave " + std::to_string(value) + " instead of " +
           std::to_string(value_of(b)));
    }
  }
  void check_exception(const block& b, const thrown& e) {
    if (!b.throws || e.block != b.id) {
      fail("the exception of block " + std::to_string(e.block) + " came where " + name(b) +
           " was called");
    }
  }
  static std::string name(const block& b) { return "block " + std::to_string(b.id); }

  // ------------------------------------------------------------------- runtimes that are stopped

  /// Of a runtime: whether somebody has called stop(), and whether that has returned.
  struct ending {
    stop_state asked;
    std::atomic<bool> over{false};
    std::atomic<int> inside{0};  ///< its tasks that have begun and not ended
    std::atomic<int> unset{0};   ///< its promises that have no value yet
  };
  [[nodiscard]] bool any_stops() const;
  /// Whether it says that a runtime was stopped, and one was.
  [[nodiscard]] bool is_refusal(const error& e) const;
  /// What stops the groups that a step makes in runtime `of`.
  [[nodiscard]] const stop_state* above(const surroundings& around, int of) const {
    return around.where == of && around.stops != nullptr ? around.stops : &ends_[at(of)].asked;
  }
  void stop_runtime(const step& s);

  /// By run_for or run_until.
  void run_with_limit(const step& s, const surroundings& around);

  // -------------------------------------------------------------------------------- arenas

  limited& shared_arena(int of, int places);
  /// The arena of a step that has one.
  std::shared_ptr<limited> arena_of(const step& s);
  long run_in_arena(const step& s, surroundings inside);
  void work_inside(limited& here, int microseconds);

  // -------------------------------------------------------------------------------- groups

  static const local_group* find(int name, const surroundings& around);
  /// Whether a group is the whole program's. Not asked of groups_, which go before the last tasks.
  [[nodiscard]] bool is_shared(int group) const {
    return group < static_cast<int>(program_.groups.size());
  }
  void spawn(const step& s, const surroundings& around);
  void spawn_into(task_group& group, ledger& tickets, const step& s, const surroundings& around);

  static spawn_options options_of(const step& s) {
    return {.cost = static_cast<std::uint32_t>(s.cost),
            .home = s.home < 0 ? std::nullopt : std::optional<unsigned>(s.home),
            .priority = s.level == 0  ? priority::normal
                        : s.level > 0 ? priority::high
                                      : priority::low,
            .name = s.cost != 1 ? "costly" : nullptr};
  }

  /// Part of a task's function: sees when that is destroyed.
  class witness {
   public:
    witness(execution& all, ticket& t) : all_(all), ticket_(&t) {}
    witness(witness&& other) noexcept
        : all_(other.all_), ticket_(std::exchange(other.ticket_, nullptr)) {}
    witness& operator=(witness&&) = delete;
    ~witness() {
      if (ticket_ == nullptr) return;
      ++ticket_->destroyed;
      if (ticket_->runs == 0) {
        all_.dropped_[at(ticket_->block)].fetch_add(1, std::memory_order_relaxed);
      }
    }

   private:
    execution& all_;
    ticket* ticket_;
  };

  template <typename Load>
  void spawn_loaded(task_group& group, ticket& t, const step& s, const surroundings& around) {
    auto task = [this, &t, &s, around, load = Load{}, seen = witness(*this, t)] {
      ++t.runs;
      tasks_[at(s.of)].taken.fetch_add(1, std::memory_order_relaxed);
      std::optional<trace_region> seen_while_recorded;
      if (s.size == large) {
        seen_while_recorded.emplace("large");
        trace_counter("large", s.cost);
      }
      if (!load.whole()) fail("a task's function object did not arrive whole");
      try {
        run_task(s.inner[0], s.of, around);
      } catch (...) {
        t.threw = true;
        t.ended = true;
        throw;
      }
      t.ended = true;
    };
    if (!is_dropped(t, around)) group.spawn(std::move(task), options_of(s));
  }
  /// Mistakes about stopped groups, of which one is that the task is not spawned.
  bool is_dropped(ticket& t, const surroundings& around) {
    if (t.barred && mistaken(mistake::run_barred)) ++t.runs;
    return !around.stops->perhaps() && mistaken(mistake::drop_unasked);
  }

  void stop(const step& s, const surroundings& around);
  void ask_stop(const surroundings& around);
  /// `stopped`: the group was stopped, so that tasks need not have run.
  void check_ended(const std::vector<const ticket*>& tickets, bool stopped);
  /// How a wait for a group ended: with whose exception, or whether it was stopped.
  struct wait_end {
    std::optional<int> caught;
    bool stopped = false;
  };
  wait_status wait_limited(task_group& group, const step& how);
  wait_end wait_for(task_group& group, const stop_state& stops, const step& how = {});
  void wait_local(const local_group& g, const step& how = {});
  void scope(const step& s, const surroundings& around);
  void renew(const local_group& g);
  void wait_shared(const step& how);

  /// When all waits are over.
  void check_exceptions(const shared_group& g);

  // ------------------------------------------------------------------------------- futures

  /// Hands `f` over as large as the step says: `start` gives the future of what it is called with.
  template <typename Load, typename F, typename Start>
  auto start_loaded(const F& f, const Start& start) {
    return start([this, f, load = Load{}](auto... results) -> long {
      if (!load.whole()) fail("a task's function object did not arrive whole");
      return f(std::move(results)...);
    });
  }
  template <typename F, typename Start>
  future<long> start_sized(const step& s, const F& f, const Start& start) {
    switch (s.size) {
      case large:
        return start_loaded<large_load>(f, start);
      case move_only:
        return start_loaded<move_only_load>(f, start);
      default:
        return start_loaded<small_load>(f, start);
    }
  }

  /// The end of the task of a future, before which the runtime may not end.
  struct queued_end {
    execution& all;
    bool& ended;
    ~queued_end();
  };
  long run_queued(const step& s, bool& ended, limited* in = nullptr);

  /// The future of `s`, made from others or from none.
  awaited make(const step& s);
  awaited make_from_none(const step& s);
  awaited make_promise(const step& s);
  awaited make_from_several(const step& s);
  /// The task of `s` continues a future.
  awaited continue_with(awaited before, const step& s);
  awaited begin_early(const awaited& before, const step& s);
  /// Takes the result of a future that another one was made from.
  void check_needed(awaited& needed);
  void check_ended(const awaited& a);

  void publish(shared_future& f, awaited a);
  void continue_shared(const step& s);
  void wait_limited(const future<long>& f, int limit, bool until);
  void await(const shared_future& f);
  static bool is_made(const shared_future& f) {
    return f.state.load(std::memory_order_acquire) == shared_future::made;
  }
  void wait_future(const step& s);
  void poll_future(shared_future& f);
  void get_future(shared_future& f);
  void get_futures();

  /// Until nothing is left that may spawn into a shared group: futures make tasks of groups, which
  /// make futures. A future that some step takes is taken here, if it has not been.
  void wait_for_all();
  void local_async(const step& s, const surroundings& around);

  // ---------------------------------------------------------------------------- coroutines

  void check_here(int of);
  evencube::task<long> run_coroutine(const block& b, surroundings around);
  evencube::task<> run_steps(const block& b, surroundings around);
  evencube::task<long> run_queued_coroutine(const step& s, std::shared_ptr<bool> ended);
  evencube::task<> run_spawned_coroutine(ticket& t, const step& s, surroundings around,
                                         witness seen);
  evencube::task<> await_taken(awaited taken, int of, surroundings around);
  evencube::task<long> run_part(const block& b, surroundings around, char& ended);
  evencube::task<> await_all(const step& s, surroundings around);
  evencube::task<> await_first(const step& s, surroundings around);
  evencube::task<> visit(const step& s, surroundings around);

  // ----------------------------------------------------------------------- forks and loops

  void fork(const step& s, const surroundings& around);
  void loop(const step& s, const surroundings& around);

  /// A fold, or a scan, shows its order: neighbours alone may meet.
  struct stretch {
    int first = 0;
    int last = 0;
    bool in_order = true;

    friend stretch operator+(const stretch& a, const stretch& b) {
      return {a.first, b.last, a.in_order && b.in_order && a.last == b.first};
    }
  };
  void reduce(const step& s, const surroundings& around);
  struct loop_state;
  /// Calls f(body) with a body that calls `call`, such as the loop asks for.
  template <typename Call, typename F>
  auto with_body(loop_state& l, const Call& call, const F& f);
  template <loop_body Kind, typename Call, typename F>
  auto with_marked_body(loop_state& l, const Call& call, const F& f);
  /// Gives nothing where the loop was stopped; else what a search has found, if it is one.
  template <typename F>
  std::optional<int> run_loop(loop_state& l, const F& run);
  template <typename F>
  std::optional<int> run_stoppable(loop_state& l, const F& run);
  template <typename F>
  int search_items(loop_state& l, const F& run);
  template <typename F>
  void run_balanced(loop_state& l, const F& run);
  template <typename F>
  void transform_items(loop_state& l, const F& run);
  void run_iteration_of(loop_state& l, int i, const surroundings& around);
  /// `completed`: no exception has left it.
  void check_loop(loop_state& l, bool completed);
  void check_found(const loop_state& l, int found);
  void invoke(const step& s, const surroundings& around);

  // ------------------------------------------------------------------ graphs and pipelines

  struct graph_state;
  void graph(const step& s, const surroundings& around);
  void build(task_graph& made, graph_state& g);
  class node_value;
  struct values_of_graph;
  void add_node(task_graph& made, graph_state& g, values_of_graph& values, std::size_t k);
  template <typename... Arguments>
  void add_node_with(task_graph& made, graph_state& g, values_of_graph& values, std::size_t k,
                     const Arguments&... arguments);
  node_value make_value(graph_state& g, std::size_t k);
  void look_at(graph_state& g, std::size_t k, std::size_t argument, const node_value& value);
  void take(graph_state& g, std::size_t k, std::size_t argument, node_value&& value);
  void check_choice(graph_state& g, std::size_t k, std::size_t argument, int choice);
  void run_graphs(graph_state& g, const std::function<wait_status()>& run);
  void run_graph(graph_state& g, const std::function<wait_status()>& run);
  void run_node(graph_state& g, std::size_t k);
  void begin_node(graph_state& g, std::size_t k, int call);
  void check_run(const graph_state& g, bool completed, std::optional<int> caught);
  void check_runs(const graph_state& g);

  struct pipeline_state;
  void pipeline(const step& s, const surroundings& around);
  wait_status run_pipeline(pipeline_state& l);
  void run_element(pipeline_state& l, std::size_t stage, int number);

  void compute(const step& s);
  bool scan(const step& s);
  bool sort(const step& s);
  bool search(const step& s);
  void run_iteration(const step& s, int i, const surroundings& around);

  /// `dropped()`: what throws may have been dropped.
  template <typename F, typename Dropped>
  void expect_exception(const block& body, const F& f, const Dropped& dropped) {
    try {
      f();
      if (body.throws && !dropped())
        fail("the exception of " + name(body) + " did not leave the loop");
    } catch (const thrown& e) {
      if (!body.throws || e.block != body.id) fail("another exception left a loop");
    }
  }

  // ---------------------------------------------------------------------------- the rest

  void in_scope(const step& s, const surroundings& around);
  static void block_for_a_loop();
  void meet(const step& s);
  void hold(const step& s);

  /// A task of runtime `of` runs here: its worker counts it.
  void gather(int of);
  void check_runtimes();

  void balance(const step& s) { static_cast<void>(on(s.of).balance()); }

  void change_strategy(const step& s);
  void record(const step& s);
  void look(const step& s);
  /// `body` in a forked child, which gives whether it did what it should.
  template <typename Body>
  void in_a_child(const char* what, const Body& body);
  void fork_a_child();
  void exit_in_a_child(const step& s);
  void outlive(const step& s);
  void end_a_thread(const step& s);
  void flood(const step& s);
  void burst(const step& s);
  void stream(const step& s);
  void hop(const step& s);

  const program& program_;
  std::vector<runtime*> runtimes_;
  std::vector<runtime_in_use> in_use_;
  std::vector<std::int64_t> told_before_;
  const mutation wrong_;
  std::deque<std::mutex> meetings_;
  std::deque<ending> ends_;
  /// The stops around a coroutine that was refused the way home: nobody knows whether they count.
  const stop_state unknown_stop_ = stop_state::which_began();
  /// Of one runtime: what worker_local must come to, and how many tasks must be told of at least.
  struct totals {
    std::atomic<long> gathered{0};
    std::atomic<std::int64_t> taken{0};
  };
  std::vector<totals> tasks_;
  std::deque<worker_local<long>> gathered_;
  std::vector<std::atomic<std::int64_t>> begun_;
  std::vector<std::atomic<std::int64_t>> dropped_;
  std::vector<bool> throws_;
  std::deque<shared_future> futures_;
  std::vector<std::atomic<bool>> flags_;
  std::deque<shared_group> groups_;
  /// Asyncs that have not ended.
  std::atomic<int> queued_{0};
  /// Shared futures and tasks of shared groups that have been made.
  std::atomic<int> handed_over_{0};
  std::atomic<int> chances_{0};
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::unique_ptr<limited>> arenas_;
  std::optional<std::string> failure_;
  std::vector<std::jthread> threads_;
  std::vector<std::jthread> late_threads_;
  /// Threads that set the values of promises.
  std::vector<std::jthread> keepers_;
};

}  // namespace evencube::programs
