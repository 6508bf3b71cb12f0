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
#include "fiber.hpp"
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

  [[nodiscard]] virtual unsigned threads() const = 0;
  /// What thread k, in [0, threads), does.
  virtual void run(unsigned k) = 0;
  /// After all threads have ended.
  virtual void check() {}
};

/// How stores reach memory: at once, or, as on x86, through a buffer of each thread that empties in
/// order and at any time, and at the latest before a read-modify-write, a seq_cst store or a sleep.
enum class memory_model : std::uint8_t { sequential, store_buffers };

/// One decision of a schedule: which of so many ways was taken.
struct decision {
  std::uint8_t taken;
  std::uint8_t ways;
};

/// An atomic variable as the explorer sees it.
class location {
 public:
  explicit location(std::uint64_t initial) noexcept;
  location(const location&) = delete;
  location& operator=(const location&) = delete;
  ~location();

 private:
  friend class session;

  std::uint64_t value_;
  vector_clock released_;           // what the release sequence that the value belongs to publishes
  std::uint64_t contribution_ = 0;  // to the hash of the memory
  std::uint32_t id_;
  // Volatile: what the destructor writes is read, in the arena, by who uses the variable too late.
  volatile std::uint32_t alive_;
};

/// A variable that is not atomic: accesses must be ordered by happens-before.
class plain_location {
 protected:
  void reading() const;
  void writing();

 private:
  friend class session;

  std::uint16_t written_ = 0;  // the step of the last writer
  std::uint8_t writer_ = 0;
  mutable vector_clock reads_;  // each thread's last step that read since
};

/// Runs a scenario schedule by schedule. Single-threaded: the scenario's threads are fibers, and
/// every operation on an explored variable is a point where another one may go on instead.
class session {
 public:
  session(memory_model model, unsigned preemptions, unsigned steps,
          std::vector<mutation> mutations);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// The one whose scenario runs.
  static session& current() noexcept { return *current_; }

  /// Runs the schedule `trail` begins with and then the first way at every decision, which is
  /// appended. Returns what went wrong, or nothing.
  std::string run(const std::function<std::unique_ptr<scenario>()>& make,
                  std::vector<decision>& trail);
  /// The same with every step written down.
  std::string narrate(const std::function<std::unique_ptr<scenario>()>& make,
                      std::vector<decision>& trail, std::string& story);

  [[nodiscard]] std::uint64_t states() const noexcept { return visited_.size(); }

  // -- For the variables and the policy ----------------------------------------------------------

  std::uint64_t load(const location& l, std::memory_order order, const site& at);
  void store(location& l, std::uint64_t value, std::memory_order order, const site& at);
  /// A read-modify-write: `next` of the old value, which is returned.
  template <typename Next>
  std::uint64_t modify(location& l, action what, std::memory_order order, const site& at,
                       Next next) {
    const harm_set harms = begin_modify(l, what, order, at);
    const std::uint64_t old = l.value_;
    if (harms.torn) point();
    end_modify(l, what, old, next(old), order, at, harms);
    return old;
  }
  bool compare_exchange(location& l, std::uint64_t& expected, std::uint64_t desired,
                        std::memory_order success, std::memory_order failure, const site& at);
  /// Sleeps until woken if the value in memory is the expected one.
  void wait(location& l, std::uint64_t expected, const site& at);
  void wake(location& l, int how_many, const site& at);

  /// Whether a check is to be made.
  [[nodiscard]] bool heeds(std::string_view check) const noexcept;

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
    const location* bed = nullptr;
    site last{"", 0};
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
  /// What may come next: a thread's step, or the oldest store of its buffer reaches memory.
  struct way {
    std::uint8_t thread;
    bool drains;
  };
  struct past_value {
    const location* where;
    std::uint64_t until;
    std::uint64_t value;
  };

  static void setting_up(void* self);
  static void being_explored(void* self);

  void begin_all();
  void point();
  void leave();
  void go_to(unsigned k);
  unsigned choose(unsigned ways);
  bool known() noexcept;
  void collect(unsigned but, std::vector<way>& ways) const;
  void drain_oldest(thread& t);
  void drain(thread& t);
  void apply_late_effects();
  void commit(location& l, std::uint64_t value, const vector_clock& released);
  void absorb(std::uint64_t what) noexcept;
  void step(const location& l, const site& at);
  void check_alive(const location& l, const char* what);
  void note(action what, const location* l, const site& at, std::memory_order order,
            const std::string& outcome);
  harm_set harms_at(action what, std::memory_order& order, const site& at) const;
  harm_set begin_modify(location& l, action what, std::memory_order& order, const site& at);
  void end_modify(location& l, action what, std::uint64_t old, std::uint64_t next,
                  std::memory_order order, const site& at, harm_set harms);
  [[nodiscard]] std::uint64_t state_hash() const noexcept;
  thread& me() noexcept { return threads_[running_]; }

  static inline session* current_ = nullptr;

  memory_model model_;
  unsigned preemptions_;
  unsigned step_limit_;
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
  std::size_t depth_ = 0;
  unsigned budget_ = 0;
  unsigned steps_ = 0;
  bool ends_plainly_ = false;  // the state is known: no more decisions
  std::vector<way> ways_;
  std::uint64_t memory_hash_ = 0;
  visited_states visited_;
  std::uint64_t now_ = 0;
  std::vector<past_value> past_;
  std::string failure_;
  std::string* story_ = nullptr;
};

}  // namespace evencube::explorer
