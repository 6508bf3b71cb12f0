#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <evencube/detail/block_pool.hpp>
#include <evencube/detail/chain_stack.hpp>
#include <evencube/detail/lifeline.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/split_deque.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

class scheduler;
class group_core;
struct loop_frame;
class event_log;

/// What a worker runs at the moment; a stack of them as waits nest. A fork made while this frame is
/// the innermost has `current` as its parent.
struct frame {
  const node* current;
  /// Where the worker's queue ended when the frame began: places from here on belong to it.
  std::uint32_t base;
  frame* outer;
};

/// Counters, written by the worker alone (plain load and store, no read-modify-write).
struct alignas(128) worker_counters {
  std::atomic<std::uint64_t> executed{0};
  std::atomic<std::uint64_t> received{0};
  /// Tasks that rounds sent here; written by who leads the round.
  std::atomic<std::uint64_t> arrived{0};
  std::atomic<std::uint64_t> parks{0};
  std::atomic<std::int64_t> idle_ns{0};
  /// When it began to look for work; 0 while it has some.
  std::atomic<std::int64_t> idle_since{0};

  /// Work again. `idle_since` may have moved on meanwhile: resetting the counters does that.
  void end_idle(std::int64_t now) noexcept {
    add(idle_ns, now - idle_since.load(std::memory_order_relaxed));
    idle_since.store(0, std::memory_order_relaxed);
  }

  template <typename Counter, typename Amount>
  static void add(Counter& counter, Amount amount) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

/// One node of the cube: a queue, a mailbox and, except for worker 0 between two `run`s, a thread.
/// What stands in the header is the path of a fork that nobody takes; the rest is in worker.cpp,
/// waiting.cpp and searching.cpp.
class worker {
 public:
  worker(scheduler& cube, std::uint32_t index);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker() = default;

  /// The worker the calling thread is, or null.
  static worker* current() noexcept { return current_; }

  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] scheduler& cube() const noexcept { return *cube_; }
  [[nodiscard]] const node* running() const noexcept { return frame_->current; }

  // -- The path of tasks, owner only -------------------------------------------------------------

  /// Queues a task. Allocates only where the queue must grow (then may throw std::bad_alloc, with
  /// the task not queued).
  void push(slot_word word) {
    if (queue_.needs_attention(queue_.push(word))) [[unlikely]] {
      attend();
    }
  }

  /// Takes a fork back that is still the newest task and was never shared.
  bool pop_exactly(slot_word word) noexcept { return queue_.pop_exactly(word); }

  /// Settles a fork that is no longer the newest private task: true if it was still in this queue
  /// (removed, to be called in place), false once another worker has run it.
  [[gnu::noinline]] bool settle(fork_task& forked);

  /// Runs descendants of `target`, or sleeps, until `core` has no tasks left.
  void wait_for(group_core& core);

  /// Where the memory of tasks that this worker spawns comes from.
  [[nodiscard]] block_pool& pool() noexcept { return pool_; }
  /// Gives a block back to the pool that it came from.
  void free_block(void* memory, std::size_t size_class, block_pool& owner) noexcept {
    if (&owner == &pool_) {
      pool_.release(memory, size_class);
    } else {
      returns_.add(owner, memory, size_class);
    }
  }

  /// Queues a spawned task here or, with a home, at that worker.
  void spawn(slot_word word, std::int64_t home);

  /// Whether so much is queued here that a task had better run than wait.
  [[nodiscard]] bool crowded() const noexcept {
    return (open() ? queue_.length() : queue_.private_length()) > crowd && !running_at_once_;
  }
  /// Runs a task that was never queued. Inside of it spawned tasks are queued, however many: or
  /// else tasks that spawn each other would stand on one stack.
  void run_at_once(task& t) noexcept;
  /// Runs queued tasks until so few are left that it is no longer crowded here.
  void thin_out() noexcept;

  /// A task of `group`, whose home is not here, has ended. The group is told when this worker runs
  /// something else, or nothing: until then the group has other tasks left (invariant G5).
  void end_later(group_core& group) noexcept {
    if (ending_ != &group) {
      tell_endings();
      ending_ = &group;
    }
    ++endings_;
  }

  /// Makes `loop` the innermost loop under way; returns the one before.
  loop_frame* enter(loop_frame* loop) noexcept { return std::exchange(loops_, loop); }
  /// Ends it.
  void leave(loop_frame* outer) noexcept { loops_ = outer; }
  /// Between two iterations: whether somebody wants part of this worker's work, ...
  [[nodiscard]] bool wanted() const noexcept { return queue_.wanted(); }
  /// ... then the answer.
  [[gnu::noinline]] void heed();

  // -- Any thread --------------------------------------------------------------------------------

  /// Sets bits of the worker's signal word and wakes it if it sleeps.
  void notify(std::uint32_t bits) noexcept { signals_.raise(bits); }

  /// Tells the worker with this index, of the same runtime, that what it waits for is done.
  void notify_done(std::uint32_t index) noexcept;

  /// One line for people: what the worker does and holds.
  [[nodiscard]] std::string describe() const;

  /// Where in the queue a letter's tasks go: as the newest or as the oldest ones.
  enum class letter_place { on_top, beneath };
  /// Puts tasks, oldest first, into the worker's mailbox and says so.
  void mail(std::vector<slot_word> words, letter_place place);

 private:
  friend class scheduler;
  friend class rounds;
  friend class group_core;

  static constexpr std::uint32_t crowd = 65536;

  [[gnu::noinline]] void attend();
  void adapt_sharing() noexcept;
  void answer();
  bool promote() noexcept;
  void share(std::uint32_t count) noexcept;
  void share_all() noexcept { share(queue_.private_length()); }
  /// Whether every push is to be shared, and seen, at once.
  [[nodiscard]] bool open() const noexcept { return every_push_ || log_ != nullptr; }
  void execute(slot_word word) noexcept;
  void tell_endings() noexcept {
    if (ending_ != nullptr) tell();
  }
  [[gnu::noinline]] void tell() noexcept;
  void serve_requests() noexcept;
  void share_on_request() noexcept;
  void grant(std::uint64_t requests) noexcept;
  // Noexcept, here and below: tasks on their way must arrive.
  void put(const std::vector<slot_word>& words) noexcept;
  void put_beneath(const std::vector<slot_word>& words) noexcept;
  void run(slot_word word) noexcept;
  slot_word next_own() noexcept;
  void adapt_batch() noexcept;
  void main_loop();

  // searching.cpp
  bool find_work();
  bool collect_mail() noexcept;
  bool take_injected() noexcept;
  bool pull_from_neighbours();
  bool steal_at_random();
  bool rescue_stranded(bool everybody);
  std::uint32_t take_from(worker& victim, std::uint32_t count);
  void request_neighbours() noexcept;
  void idle();
  bool answer_signals();
  [[nodiscard]] std::uint64_t load() const noexcept;

  // waiting.cpp
  struct recorded_wait;
  struct home_wait;
  struct guest_wait;
  bool take_back(const fork_task& forked);
  bool settle_recorded(fork_task& forked);
  template <typename Wait>
  void wait_until(const node& target, const Wait& wait);
  template <typename Wait>
  void sleep_in_wait(const node& target, const Wait& wait);
  bool run_own_descendant(const node& target);
  bool run_others_descendant(const node& target);
  bool sift(const node& target) noexcept;
  bool rescue(const node& target);

  // Initial-exec: one load in shared libraries too, not a call.
  [[gnu::tls_model("initial-exec")]] static inline thread_local constinit worker* current_ =
      nullptr;

  split_deque queue_;
  frame root_{nullptr, 0, nullptr};
  frame* frame_ = &root_;
  loop_frame* loops_ = nullptr;
  /// Where this worker writes down what it does; null while nothing is recorded. Changes only while
  /// all workers stand still.
  event_log* log_ = nullptr;
  block_pool pool_;
  block_returns returns_;
  /// What `end_later` has not told yet.
  group_core* ending_ = nullptr;
  std::uint32_t endings_ = 0;

  scheduler* cube_;
  std::uint32_t index_;
  /// Sharing every task as it is pushed: while tasks are long enough to hide others behind them.
  bool every_push_;
  bool running_at_once_ = false;
  std::uint32_t window_pushes_ = 0;
  std::int64_t window_began_ = 0;
  /// How many tasks the owner takes back at a time, so that what it hides stays short.
  std::uint32_t batch_ = 1;
  /// Batches since the clock was read.
  std::uint32_t batches_ = 0;
  std::int64_t batch_began_ = 0;
  std::uint64_t random_;
  /// The last round it asked for was refused for the moment: look again instead of sleeping long.
  bool look_again_ = false;
  /// It slept since it last looked for work.
  bool woken_ = false;
  std::vector<slot_word> taken_;
  worker_counters counters_;

  // Written by others.
  alignas(128) signal_word signals_;
  lifeline_word lifeline_;
  /// Sum of cost - 1 over the queued tasks that cost more than one quantum.
  std::atomic<std::int64_t> extra_quanta_{0};
  /// True while it runs a task: a task under way counts as load.
  std::atomic<bool> busy_{false};
  /// True while it sleeps in a wait, or is a vacant seat: its queue is open to everybody.
  std::atomic<bool> stranded_{false};
  struct letter;
  chain_stack<letter> letters_;
};

}  // namespace evencube::detail
