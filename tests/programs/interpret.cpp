#include "interpret.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "ledger.hpp"

namespace evencube::programs {

namespace {

using clock = std::chrono::steady_clock;

/// What tasks throw: which block did.
struct thrown {
  int block;
};

/// A local group while it lives, and those around it.
struct local_group {
  int name;
  task_group* group;
  ledger* tickets;
  const local_group* outer;
};

long value_of(const block& b) { return 1000 + b.id; }

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

class execution {
 public:
  execution(const program& p, std::vector<runtime*> runtimes, const mutation& wrong)
      : program_(p),
        runtimes_(std::move(runtimes)),
        wrong_(wrong),
        expected_(expected_times(p)),
        begun_(expected_.size()),
        futures_(static_cast<std::size_t>(p.futures)),
        flags_(static_cast<std::size_t>(p.flags)) {
    throws_.resize(expected_.size());
    for_each_block(p, [this](const block& b) {
      throws_[at(b.id)] = b.throws;
      for (const step& s : b.steps) {
        if (s.what == action::get_future) futures_[at(s.target)].passed = true;
      }
    });
    for (const int of : p.groups) groups_.emplace_back(on(of));
  }

  void run_threads() {
    run_block(program_.prologue, nullptr);
    const std::size_t joined = program_.threads.size() - at(program_.late_threads);
    for (std::size_t t = 1; t < program_.threads.size(); ++t) {
      (t < joined ? threads_ : late_threads_).emplace_back([this, t] {
        run_block(program_.threads[t], nullptr);
      });
    }
    run_block(program_.threads[0], nullptr);
    threads_.clear();
    wait_for_all();
    for (shared_group& g : groups_) check_exceptions(g);
    groups_.clear();
    if (program_.fresh) return;
    while (queued_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    get_futures();
  }

  /// The runtimes that were made for the program are gone.
  void after_the_end() {
    late_threads_.clear();
    if (program_.futures_outlive) get_futures();
    if (queued_ != 0) fail("a runtime ended before its tasks");
  }

  std::optional<std::string> verdict() {
    for (std::size_t i = 0; i < begun_.size(); ++i) {
      const std::int64_t n = begun_[i];
      if (n < expected_[i].least || n > expected_[i].most) {
        fail("block " + std::to_string(i) + " ran " + std::to_string(n) + " times instead of " +
             std::to_string(expected_[i].least) +
             (expected_[i].least == expected_[i].most
                  ? ""
                  : " to " + std::to_string(expected_[i].most)));
      }
    }
    return failure_;
  }

 private:
  struct shared_group {
    explicit shared_group(runtime& of) : group(of) {}
    ledger tickets;
    std::mutex mutex;
    std::vector<int> caught;
    task_group group;  // the first to go: its end may wait for tasks
  };
  struct shared_future {
    enum : int { none, made, taken };
    std::atomic<int> state{none};
    std::optional<future<long>> asked;
    const block* body = nullptr;
    bool passed = false;  // some step takes it
    bool ended = false;   // plain: see ticket
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] runtime& on(int of) const { return *runtimes_[at(of)]; }

  void fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = what;
  }

  /// Whether the mistake of this kind is to be made now.
  bool mistaken(mistake what) { return wrong_.what == what && chances_++ == wrong_.at; }

  // -------------------------------------------------------------------------------- blocks

  long run_block(const block& b, const local_group* groups) {
    begun_[at(b.id)].fetch_add(1, std::memory_order_relaxed);
    progress().fetch_add(1, std::memory_order_relaxed);
    for (const step& s : b.steps) run_step(s, groups);
    if (b.throws && !mistaken(mistake::lose_exception)) throw thrown{b.id};
    return value_of(b);
  }

  /// As a task of runtime `of`.
  long run_task(const block& b, int of, const local_group* groups) {
    if (this_worker() >= on(of).workers()) fail("this_worker() is none of the workers");
    if (mistaken(mistake::stay_for_ever)) {
      for (;;) std::this_thread::yield();
    }
    return run_block(b, groups);
  }

  void run_step(const step& s, const local_group* groups) {
    switch (s.what) {
      case action::work:
        return work(s.amount);
      case action::pause:
        if (s.amount == 0) return std::this_thread::yield();
        return std::this_thread::sleep_for(std::chrono::microseconds{s.amount});
      case action::spawn:
        return spawn(s, groups);
      case action::scope:
        return scope(s, groups);
      case action::wait_group:
        if (s.target < static_cast<int>(groups_.size())) return wait_shared(s.target);
        return wait_local(*find(s.target, groups));
      case action::async:
        return make_future(s);
      case action::wait_future:
        return wait_future(futures_[at(s.target)]);
      case action::get_future:
        return get_future(futures_[at(s.target)]);
      case action::poll_future:
        return poll_future(futures_[at(s.target)]);
      case action::local_async:
        return local_async(s, groups);
      case action::run:
        return call(s.inner[0], [&] {
          return on(s.of).run([&] { return run_task(s.inner[0], s.of, groups); });
        });
      case action::fork:
        return fork(s, groups);
      case action::loop:
        return loop(s, groups);
      case action::reduce:
        return reduce(s, groups);
      case action::hold:
        return hold(s);
      case action::balance:
        return balance(s);
      case action::strategy:
        return change_strategy(s);
      case action::record:
        return record(s);
      case action::look:
        return look(s);
      case action::raise_flag:
        return flags_[at(s.target)].store(true, std::memory_order_release);
      case action::await_flag:
        while (!flags_[at(s.target)].load(std::memory_order_acquire)) std::this_thread::yield();
        return;
    }
  }

  static void work(int microseconds) {
    const auto end = clock::now() + std::chrono::microseconds{microseconds};
    while (clock::now() < end) {
    }
  }

  /// Whether `f` gives the value of `b`, or its exception if it is one that throws.
  template <typename F>
  void call(const block& b, const F& f) {
    try {
      const long value = f();
      if (b.throws) return fail("the exception of " + name(b) + " did not arrive");
      if (value != value_of(b)) {
        fail(name(b) + " gave " + std::to_string(value) + " instead of " +
             std::to_string(value_of(b)));
      }
    } catch (const thrown& e) {
      if (!b.throws || e.block != b.id) {
        fail("the exception of block " + std::to_string(e.block) + " came where " + name(b) +
             " was called");
      }
    }
  }
  static std::string name(const block& b) { return "block " + std::to_string(b.id); }

  // -------------------------------------------------------------------------------- groups

  static const local_group* find(int name, const local_group* groups) {
    while (groups->name != name) groups = groups->outer;
    return groups;
  }

  void spawn(const step& s, const local_group* groups) {
    if (s.target < static_cast<int>(groups_.size())) {
      shared_group& g = groups_[at(s.target)];
      spawn_into(g.group, g.tickets, s, nullptr);
      ++handed_over_;
    } else {
      const local_group* const g = find(s.target, groups);
      spawn_into(*g->group, *g->tickets, s, g);
    }
  }

  void spawn_into(task_group& group, ledger& tickets, const step& s, const local_group* groups) {
    ticket& t = tickets.add(s.inner[0].id);
    const int copies = mistaken(mistake::drop_task) ? 0 : mistaken(mistake::run_task_twice) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      switch (s.size) {
        case small:
          spawn_loaded<small_load>(group, t, s, groups);
          break;
        case large:
          spawn_loaded<large_load>(group, t, s, groups);
          break;
        case move_only:
          spawn_loaded<move_only_load>(group, t, s, groups);
          break;
      }
    }
    t.accepted.store(true, std::memory_order_release);  // pairs with ledger::accepted_ones
  }

  static spawn_options options_of(const step& s) {
    return {.cost = static_cast<std::uint32_t>(s.cost),
            .home = s.home < 0 ? std::nullopt : std::optional<unsigned>(s.home)};
  }

  template <typename Load>
  void spawn_loaded(task_group& group, ticket& t, const step& s, const local_group* groups) {
    group.spawn(
        [this, &t, &s, groups, load = Load{}] {
          ++t.runs;
          if (!load.whole()) fail("a task's function object did not arrive whole");
          try {
            run_task(s.inner[0], s.of, groups);
          } catch (...) {
            t.threw = true;
            t.ended = true;
            throw;
          }
          t.ended = true;
        },
        options_of(s));
  }

  void check_ended(const std::vector<const ticket*>& tickets) {
    for (const ticket* const t : tickets) {
      if (!t->ended || t->runs != 1) {
        fail("a wait returned when a task, block " + std::to_string(t->block) + ", had run " +
             std::to_string(t->runs) + " times" + (t->ended ? "" : " and not ended"));
      }
    }
  }

  static std::optional<int> wait_for(task_group& group) {
    try {
      group.wait();
    } catch (const thrown& e) {
      return e.block;
    }
    return std::nullopt;
  }

  void wait_local(const local_group& g) {
    const std::optional<int> caught = wait_for(*g.group);
    const auto tickets = g.tickets->accepted_ones();
    check_ended(tickets);
    const auto threw = [](const ticket* t) { return t->threw; };
    if (!caught && std::ranges::any_of(tickets, threw)) fail("an exception did not arrive");
    if (caught && std::ranges::none_of(
                      tickets, [&](const ticket* t) { return t->threw && t->block == *caught; })) {
      fail("the exception of block " + std::to_string(*caught) + " came from a group without it");
    }
    g.tickets->clear();
  }

  void scope(const step& s, const local_group* groups) {
    ledger tickets;
    local_group here{s.target, nullptr, &tickets, groups};  // tasks may look at it until the end
    try {
      task_group group(on(s.of));
      here.group = &group;
      run_block(s.inner[0], &here);
      if (s.variant == by_wait) wait_local(here);
      if (s.variant == by_exception) throw thrown{-1};
    } catch (const thrown& e) {
      if (s.variant != by_exception || e.block != -1) fail("an exception left a group's block");
    }
    check_ended(tickets.accepted_ones());
  }

  void wait_shared(int index) {
    shared_group& g = groups_[at(index)];
    const auto before = g.tickets.accepted_ones();
    const std::optional<int> caught = wait_for(g.group);
    check_ended(before);
    if (!caught) return;
    if (*caught < 0 || !throws_[at(*caught)]) fail("a shared group threw what no task did");
    const std::lock_guard lock(g.mutex);
    g.caught.push_back(*caught);
  }

  /// When all waits are over.
  void check_exceptions(const shared_group& g) {
    const auto tickets = g.tickets.accepted_ones();
    check_ended(tickets);
    std::vector<int> threw;
    for (const ticket* const t : tickets) {
      if (t->threw) threw.push_back(t->block);
    }
    if (!threw.empty() && g.caught.empty()) fail("an exception of a shared group did not arrive");
    for (const int block : g.caught) {
      const auto one = std::ranges::find(threw, block);
      if (one == threw.end()) {
        fail("the exception of block " + std::to_string(block) +
             " arrived twice, or came from a group without it");
      } else {
        threw.erase(one);
      }
    }
  }

  // ------------------------------------------------------------------------------- futures

  template <typename Load, typename F>
  future<long> async_loaded(const step& s, const F& f) {
    return on(s.of).async(
        [this, f, load = Load{}] {
          if (!load.whole()) fail("a task's function object did not arrive whole");
          return f();
        },
        options_of(s));
  }
  template <typename F>
  future<long> async_sized(const step& s, const F& f) {
    switch (s.size) {
      case large:
        return async_loaded<large_load>(s, f);
      case move_only:
        return async_loaded<move_only_load>(s, f);
      default:
        return async_loaded<small_load>(s, f);
    }
  }

  /// The body of an async: the runtime may not end before it has.
  long run_queued(const step& s, bool* ended) {
    struct at_end {
      execution& all;
      bool* ended;
      ~at_end() {
        if (ended != nullptr) *ended = true;
        // Release: pairs with the acquire of `run_threads`.
        all.queued_.fetch_sub(1, std::memory_order_release);
        progress().fetch_add(1, std::memory_order_relaxed);
      }
    } const after{*this, ended};
    const long value = run_task(s.inner[0], s.of, nullptr);
    return mistaken(mistake::other_result) ? value + 1 : value;
  }

  void make_future(const step& s) {
    shared_future& f = futures_[at(s.target)];
    f.body = &s.inner[0];
    queued_.fetch_add(1, std::memory_order_relaxed);
    f.asked.emplace(async_sized(s, [this, &s, &f] { return run_queued(s, &f.ended); }));
    f.state.store(shared_future::made, std::memory_order_release);  // pairs with `is_made`
    ++handed_over_;
  }
  static bool is_made(const shared_future& f) {
    return f.state.load(std::memory_order_acquire) == shared_future::made;
  }
  void wait_future(shared_future& f) {
    if (!is_made(f)) return;
    f.asked->wait();
    check_future(f);
  }
  void poll_future(shared_future& f) {
    if (!is_made(f)) return;
    while (!f.asked->ready()) std::this_thread::yield();
    check_future(f);
  }
  void check_future(const shared_future& f) {
    if (!f.ended) fail("a future was ready before " + name(*f.body) + " had ended");
  }
  void get_future(shared_future& f) {
    int expected = shared_future::made;
    if (!f.state.compare_exchange_strong(expected, shared_future::taken)) return;
    future<long> mine = std::move(*f.asked);
    call(*f.body, [&] { return mine.get(); });
    check_future(f);
  }
  void get_futures() {
    for (shared_future& f : futures_) get_future(f);
  }

  /// Until nothing is left that may spawn into a shared group: futures make tasks of groups, which
  /// make futures. A future that some step takes is taken here, if it has not been.
  void wait_for_all() {
    for (int before = -1; before != handed_over_;) {
      before = handed_over_;
      if (!program_.queue_survives) {
        for (shared_future& f : futures_) f.passed ? get_future(f) : wait_future(f);
      }
      for (std::size_t g = 0; g < groups_.size(); ++g) wait_shared(static_cast<int>(g));
    }
  }

  void local_async(const step& s, const local_group* groups) {
    queued_.fetch_add(1, std::memory_order_relaxed);
    if (s.variant == dropped) {
      static_cast<void>(async_sized(s, [this, &s] { return run_queued(s, nullptr); }));
      run_block(s.inner[1], groups);
      return;
    }
    bool ended = false;
    future<long> f = async_sized(s, [this, &s, &ended] { return run_queued(s, &ended); });
    run_block(s.inner[1], groups);
    if (s.variant == by_wait_and_get) f.wait();
    call(s.inner[0], [&] { return f.get(); });
    if (!ended) fail("get() returned before " + name(s.inner[0]) + " had ended");
  }

  // ----------------------------------------------------------------------- forks and loops

  void fork(const step& s, const local_group* groups) {
    const auto half = [&](std::size_t i) {
      return [this, &s, groups, i] { return run_task(s.inner[i], s.of, groups); };
    };
    const block& outcome = s.inner[0].throws ? s.inner[0] : s.inner[1];
    call(outcome, [&] {
      const auto [left, right] = fork_join(half(0), half(1));
      if (left != value_of(s.inner[0])) fail("the left half of a fork gave another value");
      return right;
    });
  }

  void loop(const step& s, const local_group* groups) {
    std::vector<int> ran(at(s.amount));  // plain: one cell for each iteration
    const block& body = s.inner[0];
    expect_exception(body, [&] {
      parallel_for(0, s.amount,
                   [&](int i) {
                     ++ran[at(i)];
                     run_iteration(s, i, groups);
                   },
                   {.grain = at(s.grain)});
    });
    for (const int n : ran) {
      if (n > 1 || (n < 1 && !body.throws)) {
        fail("an iteration of " + name(body) + " ran " + std::to_string(n) + " times");
      }
    }
  }

  /// A fold shows its order: neighbours alone may meet.
  struct stretch {
    int first = 0;
    int last = 0;
    bool in_order = true;
  };

  void reduce(const step& s, const local_group* groups) {
    const block& body = s.inner[0];
    expect_exception(body, [&] {
      const stretch all = parallel_reduce(
          0, s.amount, stretch{},
          [&](int i) {
            run_iteration(s, i, groups);
            return stretch{i, i + 1, true};
          },
          [](const stretch& a, const stretch& b) {
            return stretch{a.first, b.last, a.in_order && b.in_order && a.last == b.first};
          },
          {.grain = at(s.grain)});
      if (all.first != 0 || all.last != s.amount || !all.in_order) {
        fail("the fold of " + name(body) + " was not in order");
      }
    });
  }

  void run_iteration(const step& s, int i, const local_group* groups) {
    const block& body = s.inner[0];
    try {
      run_task(body, s.of, groups);
    } catch (const thrown&) {
      if (i == s.variant) throw;
    }
  }

  template <typename F>
  void expect_exception(const block& body, const F& f) {
    try {
      f();
      if (body.throws) fail("the exception of " + name(body) + " did not leave the loop");
    } catch (const thrown& e) {
      if (!body.throws || e.block != body.id) fail("another exception left a loop");
    }
  }

  // ---------------------------------------------------------------------------- the rest

  void hold(const step& s) {
    auto still = on(s.of).hold();
    const auto sum = [&] {
      const auto loads = still.loads();
      return std::accumulate(loads.begin(), loads.end(), load_type{0});
    };
    load_type before = sum();
    begun_[at(s.inner[0].id)].fetch_add(1, std::memory_order_relaxed);
    for (const step& inner : s.inner[0].steps) {
      if (inner.what == action::balance) {
        static_cast<void>(still.balance());
      } else {
        run_step(inner, nullptr);
      }
      // Nothing starts, so nothing may vanish; others may spawn.
      const load_type after = sum();
      if (after < before) fail("tasks vanished while all workers stood still");
      before = after;
    }
    static_cast<void>(still.tasks());
  }

  void balance(const step& s) { static_cast<void>(on(s.of).balance()); }

  void change_strategy(const step& s) {
    try {
      on(s.of).use_balancer(s.name, {}, s.transmission);
    } catch (const std::invalid_argument&) {
      // Not for so many workers; then nothing has changed.
    }
  }

  void record(const step& s) {
    on(s.of).start_recording({.memory = 1U << 20U});
    run_block(s.inner[0], nullptr);
    const recording r = on(s.of).stop_recording();
    for (const auto& t : r.tasks) {
      if (t.spawned > t.started || t.started > t.ended || t.worker >= on(s.of).workers()) {
        fail("a recording has a task that cannot be");
      }
    }
  }

  void look(const step& s) {
    if (s.variant == 1) on(s.of).reset_stats();
    if (on(s.of).stats().workers.size() != on(s.of).workers()) fail("stats() lacks workers");
    if (on(s.of).describe().empty()) fail("describe() says nothing");
  }

  const program& program_;
  const std::vector<runtime*> runtimes_;
  const mutation wrong_;
  const std::vector<times> expected_;
  std::vector<std::atomic<std::int64_t>> begun_;
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
  std::optional<std::string> failure_;
  std::vector<std::jthread> threads_;
  std::vector<std::jthread> late_threads_;
};

}  // namespace

std::atomic<std::uint64_t>& progress() {
  static std::atomic<std::uint64_t> count{0};
  return count;
}

std::optional<std::string> run_and_check(const program& p, runtime_store& store,
                                         const mutation& wrong) {
  execution once(p, store.acquire(p), wrong);
  once.run_threads();
  if (p.fresh) {
    store.end_fresh();
    once.after_the_end();
  }
  return once.verdict();
}

}  // namespace evencube::programs
