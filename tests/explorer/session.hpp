#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "exploration.hpp"
#include "fiber.hpp"
#include "guide.hpp"
#include "location.hpp"
#include "mutation.hpp"
#include "visited.hpp"

namespace evencube::explorer {

/// The shared data of a run's threads, the work of each thread, and the conditions that must hold
/// in the end. A new scenario is made for every schedule.
class scenario {
 public:
  scenario() = default;
  scenario(const scenario&) = delete;
  scenario& operator=(const scenario&) = delete;
  virtual ~scenario() = default;

  /// The number of threads, at most max_threads - 1.
  [[nodiscard]] virtual unsigned threads() const = 0;
  /// The work of thread k, in [0, threads).
  virtual void run(unsigned k) = 0;
  /// Called after all threads have ended.
  virtual void check() {}
};

/// One decision of a schedule: the way that was taken, and the number of ways.
struct decision {
  std::uint8_t taken;
  std::uint8_t ways;
};

/// How often the unlikely may happen in one schedule.
struct budgets {
  /// A thread that could go on is interrupted, a store reaches memory late while another thread
  /// runs, a timed sleep ends early, or a spinning thread spins on.
  unsigned preemptions;
  /// In the weak model: a load gives an older value, or a store comes before the last store.
  unsigned old_values;
  /// A weak compare-and-swap or a try_lock fails without a reason.
  unsigned failures;
};

/// Runs a scenario schedule by schedule. It is single-threaded: the scenario's threads are fibers,
/// and at every operation on an explored variable another fiber may go on instead.
class session {
 public:
  session(const exploration& how, const budgets& most);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// The session whose scenario runs.
  static session& current() noexcept { return *current_; }

  /// Runs the schedule that begins with `trail`. Every later decision is made by the guide, or
  /// takes the first way without a guide, and is appended to `trail`. Returns the fault, or an
  /// empty text.
  std::string run(const std::function<std::unique_ptr<scenario>()>& make,
                  std::vector<decision>& trail, guide* by = nullptr);
  /// Runs a schedule like run(), and writes every step to `story`.
  std::string narrate(const std::function<std::unique_ptr<scenario>()>& make,
                      std::vector<decision>& trail, std::string& story);

  [[nodiscard]] std::uint64_t states() const noexcept { return visited_.size(); }
  /// The number of steps in the last run.
  [[nodiscard]] unsigned steps() const noexcept { return steps_; }

  // -- For the variables and the policy ----------------------------------------------------------

  std::uint64_t load(const location& l, std::memory_order order, const site& at);
  void store(location& l, std::uint64_t value, std::memory_order order, const site& at);
  /// A read-modify-write: stores `next` of the old value, and returns the old value.
  template <typename Next>
  std::uint64_t modify(location& l, action what, std::memory_order order, const site& at,
                       Next next) {
    const modification of = begin_modify(l, what, order, at);
    if (of.harms.torn) point();
    end_modify(l, what, of, next(of.old), order, at);
    return of.old;
  }
  bool compare_exchange(location& l, std::uint64_t& expected, std::uint64_t desired,
                        std::memory_order success, std::memory_order failure, bool weak,
                        const site& at);
  /// Sleeps until woken, if the value in memory is the expected one.
  void wait(location& l, std::uint64_t expected, const site& at);
  /// Sleeps like wait() for at most `nanoseconds`. Returns false if the time has passed.
  bool wait_for(location& l, std::uint64_t expected, std::int64_t nanoseconds, const site& at);
  void wake(location& l, int how_many, const site& at);
  void lock(location& l, const site& at);
  bool try_lock(location& l, const site& at);
  void unlock(location& l, const site& at);
  /// The thread spins: others go on first, at no cost, until one of them has written.
  void pause(const site& at);
  /// Nanoseconds of virtual time since an arbitrary moment.
  std::int64_t now();

  /// Whether a check is enabled.
  [[nodiscard]] bool checks(std::string_view check) const noexcept;

  /// Ends the run: this schedule is a counterexample.
  [[noreturn]] void fail(std::string why);

 private:
  friend class location;
  friend class plain_location;

  enum class status : std::uint8_t { absent, runnable, asleep, joining, finished };

  struct pending_store {
    location* where;
    std::uint64_t value;
    vector_clock released;
  };
  struct late_effect {
    location* where;
    std::uint64_t change;
    action what;
  };
  struct thread {
    fiber stack;
    vector_clock clock;
    status state = status::absent;
    bool yields = false;  // spun, and no thread has written since
    bool timed = false;   // its sleep ends by itself
    bool timed_out = false;
    bool locks = false;     // it sleeps on a mutex
    unsigned stubborn = 0;  // number of spins for which it still spins on
    std::int64_t deadline = 0;
    const location* bed = nullptr;
    site last{"", 0};
    site before{"", 0};         // the step before the last step
    std::uint64_t history = 0;  // hash of all its actions and of the values it saw
    std::uint32_t made = 0;     // number of locations it made
    std::array<pending_store, 16> buffer;
    unsigned buffered = 0;
    std::vector<late_effect> late;
    std::uint64_t looked = 0;      // time of its last step
    std::uint64_t hoisted_to = 0;  // its loads read memory as of that time
    std::string_view hoisting;     // in this function
  };
  struct harm_set {
    bool torn = false;
    bool omitted = false;
    bool postponed = false;
    bool hoisted = false;
  };
  /// A read-modify-write in progress: the value it found, and the store that it follows.
  struct modification {
    harm_set harms;
    std::uint64_t old;
    std::uint32_t behind;
  };
  /// A possible next event: a step of a thread, the oldest store of its buffer reaching memory, or
  /// the end of its sleep.
  struct way {
    enum kind : std::uint8_t { step, drain, time_out };
    std::uint8_t thread;
    kind what;
  };
  struct past_value {
    const location* where;
    std::uint64_t until;
    std::uint64_t value;
  };

  // session.cpp: runs.
  static void setting_up(void* self);
  static void being_explored(void* self);
  void begin_all();
  void set_up();
  template <typename Part>
  void run_part(Part part);

  // schedule.cpp: decides which thread goes on.
  void point();
  void leave();
  void count_step();
  void go_to(unsigned k);
  void take(const way& next);
  unsigned choose(std::size_t ways, unsigned suggestion = 0);
  bool known(std::uint64_t where) noexcept;
  void collect(unsigned but);
  void collect_time_outs(bool earliest);
  bool someone_yields_on();
  void pass_time() noexcept;
  void advance_to(std::int64_t then) noexcept;
  void end_time(thread& t) noexcept;
  void written() noexcept;
  [[nodiscard]] unsigned suggest(bool may_stay);
  [[nodiscard]] std::uint64_t state_hash() const noexcept;
  [[nodiscard]] std::string who_sleeps() const;

  // memory.cpp: the effects of operations.
  void step(const location& l, const site& at);
  void check_alive(const location& l, const char* where);
  void check_made(const location& l, const char* where);
  void drain_oldest(thread& t);
  void drain(thread& t);
  void apply_late_effects();
  void acquire(const vector_clock& released);
  void commit(location& l, std::uint64_t value, const vector_clock& released);
  void write(location& l, std::uint64_t value, const vector_clock& released, std::uint32_t behind,
             bool modifies, bool total);
  void absorb(std::uint64_t what) noexcept;
  harm_set harms_at(action what, std::memory_order& order, const site& at) const;
  modification begin_modify(location& l, action what, std::memory_order& order, const site& at);
  void end_modify(location& l, action what, const modification& of, std::uint64_t next,
                  std::memory_order order, const site& at);
  bool fails_for_nothing();

  // history.cpp: older values, in the weak model.
  template <typename Wanted>
  std::uint32_t choose_store(const location& l, Wanted wanted);
  std::uint32_t choose_to_read(const location& l, bool total);
  std::uint32_t choose_to_follow(const location& l, bool total);
  std::uint32_t choose_to_compare(const location& l, std::uint64_t expected, bool success_total,
                                  bool failure_total);
  void saw(const location& l, std::uint32_t store, bool total);
  void agree(const location& l, std::uint32_t store) noexcept;
  bool remember(location& l, std::uint64_t value, const vector_clock& released,
                std::uint32_t behind, bool modifies, bool total);
  [[nodiscard]] std::uint64_t link(const location& l, const stored& s) const noexcept;
  void forget(location& l) noexcept;

  // sleep.cpp
  void sleep_on(location& l, bool locks);
  static void wake_up(thread& t) noexcept;

  // story.cpp
  void note(action what, const location* l, const site& at, std::memory_order order,
            const std::string& outcome);

  thread& me() noexcept { return threads_[running_]; }

  static inline session* current_ = nullptr;

  memory_model model_;
  budgets most_;
  unsigned step_limit_;
  bool time_outs_;
  std::vector<mutation> mutations_;
  bool keeps_history_;

  fiber main_;
  std::array<thread, max_threads> threads_;
  unsigned thread_count_ = 0;
  unsigned running_ = 0;
  const std::function<std::unique_ptr<scenario>()>* make_ = nullptr;
  std::unique_ptr<scenario> scene_;
  bool clean_ = false;  // all fibers are where a run begins

  std::vector<decision>* trail_ = nullptr;
  guide* guide_ = nullptr;
  std::size_t depth_ = 0;
  budgets left_{};
  unsigned steps_ = 0;
  bool ends_plainly_ = false;  // the state is known: no more decisions
  std::vector<way> ways_;
  unsigned yielding_ = 0;
  std::int64_t clock_ = 0;
  std::int64_t tick_ = 0;  // the time that passes when every thread spins
  std::uint64_t memory_hash_ = 0;
  std::uint64_t histories_hash_ = 0;
  std::vector<stored> stores_;
  std::vector<std::uint32_t> older_;
  visited_states visited_;
  std::uint64_t now_ = 0;
  std::vector<past_value> past_;
  std::string failure_;
  std::string* story_ = nullptr;
};

}  // namespace evencube::explorer
