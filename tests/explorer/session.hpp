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

/// What the threads of a run share, what each does, and what must hold in the end. Made anew for
/// every schedule.
class scenario {
 public:
  scenario() = default;
  scenario(const scenario&) = delete;
  scenario& operator=(const scenario&) = delete;
  virtual ~scenario() = default;

  /// At most max_threads - 1.
  [[nodiscard]] virtual unsigned threads() const = 0;
  /// What thread k, in [0, threads), does.
  virtual void run(unsigned k) = 0;
  /// After all threads have ended.
  virtual void check() {}
};

/// One decision of a schedule: which of so many ways was taken.
struct decision {
  std::uint8_t taken;
  std::uint8_t ways;
};

/// How often the unlikely may happen in one schedule.
struct budgets {
  /// A thread is interrupted that could go on, a store reaches memory late while another thread
  /// runs, a timed sleep ends early, or a spinning thread spins on.
  unsigned preemptions;
  /// In the weak model: a load gives an older value, or a store comes in before the last one.
  unsigned old_values;
  /// A weak compare-and-swap or a try_lock fails for nothing.
  unsigned failures;
};

/// Runs a scenario schedule by schedule. Single-threaded: the scenario's threads are fibers, and
/// every operation on an explored variable is a point where another one may go on instead.
class session {
 public:
  session(const exploration& how, const budgets& most);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// The one whose scenario runs.
  static session& current() noexcept { return *current_; }

  /// Runs the schedule `trail` begins with and then what the guide says, or without one the first
  /// way, at every decision, which is appended. Returns what went wrong, or nothing.
  std::string run(const std::function<std::unique_ptr<scenario>()>& make,
                  std::vector<decision>& trail, guide* by = nullptr);
  /// The same with every step written down.
  std::string narrate(const std::function<std::unique_ptr<scenario>()>& make,
                      std::vector<decision>& trail, std::string& story);

  [[nodiscard]] std::uint64_t states() const noexcept { return visited_.size(); }
  /// Of the last run.
  [[nodiscard]] unsigned steps() const noexcept { return steps_; }

  // -- For the variables and the policy ----------------------------------------------------------

  std::uint64_t load(const location& l, std::memory_order order, const site& at);
  void store(location& l, std::uint64_t value, std::memory_order order, const site& at);
  /// A read-modify-write: `next` of the old value, which is returned.
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
  /// Sleeps until woken if the value in memory is the expected one.
  void wait(location& l, std::uint64_t expected, const site& at);
  /// The same for at most so long. False if the time was over.
  bool wait_for(location& l, std::uint64_t expected, std::int64_t nanoseconds, const site& at);
  void wake(location& l, int how_many, const site& at);
  void lock(location& l, const site& at);
  bool try_lock(location& l, const site& at);
  void unlock(location& l, const site& at);
  /// The thread spins: others go on first, at no cost, until one of them has written something.
  void pause(const site& at);
  /// Nanoseconds, from some time on.
  std::int64_t now();

  /// Whether a check is to be made.
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
    bool yields = false;  // spun, and nobody has written anything since
    bool timed = false;   // its sleep ends by itself
    bool timed_out = false;
    bool locks = false;     // its bed is a mutex
    unsigned stubborn = 0;  // so often yet it spins on
    std::int64_t deadline = 0;
    const location* bed = nullptr;
    site last{"", 0};
    site before{"", 0};         // the step before the last
    std::uint64_t history = 0;  // hash of all it did and saw
    std::uint32_t made = 0;     // locations
    std::array<pending_store, 16> buffer;
    unsigned buffered = 0;
    std::vector<late_effect> late;
    std::uint64_t looked = 0;      // when its last step was
    std::uint64_t hoisted_to = 0;  // loads are made at that time
    std::string_view hoisting;     // in this function
  };
  struct harm_set {
    bool torn = false;
    bool omitted = false;
    bool postponed = false;
    bool hoisted = false;
  };
  /// A read-modify-write under way: what it found, and behind which store it comes.
  struct modification {
    harm_set harms;
    std::uint64_t old;
    std::uint32_t behind;
  };
  /// What may come next: a thread's step, the oldest store of its buffer reaches memory, or its
  /// sleep is over.
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

  // schedule.cpp: who goes on.
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

  // memory.cpp: what operations do.
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
  bool clean_ = false;  // all fibers stand where a run begins

  std::vector<decision>* trail_ = nullptr;
  guide* guide_ = nullptr;
  std::size_t depth_ = 0;
  budgets left_{};
  unsigned steps_ = 0;
  bool ends_plainly_ = false;  // the state is known: no more decisions
  std::vector<way> ways_;
  unsigned yielding_ = 0;
  std::int64_t clock_ = 0;
  std::int64_t tick_ = 0;  // what passes when everybody spins
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
