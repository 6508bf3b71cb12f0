#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/priority.hpp>

namespace evencube::detail {

template <typename Policy>
class basic_future_hold;

/// The futures that a future needs before it can end: `then`, `when_all` or `when_any` took them
/// over. They form a tree, because each of them has one consumer (runtime/src/futures/futures.md).
template <typename Policy>
struct basic_dependency {
  /// A `race` ends when all have ended, and acts when the first one has.
  enum class kind : std::uint8_t { then, all, any, race, coroutine };

  kind what;
  std::uint32_t count;
  /// The needed futures, with one hold of each. The array belongs to the caller and lives as long
  /// as the future that needs them.
  basic_future_core<Policy>* const* antecedents;
  /// For `all` and `race`, the number that have not ended; for `race`, `undecided` is added until
  /// the first one has ended. For `any`, 1 until the first one has ended; then 0.
  typename Policy::template atomic<std::uint32_t> missing;
  /// The antecedents before this number have ended. Guarded by the lock of the future.
  typename Policy::template plain<std::uint32_t> first = 0;
  /// For `then`: the cost, preferred worker and priority of the continuation.
  std::uint32_t cost = 1;
  std::optional<unsigned> home = std::nullopt;
  evencube::priority priority = evencube::priority::normal;
  /// For `then`: the name of the continuation in a recording, or null.
  const char* name = nullptr;
  /// For `any` and `race`: where to write the number of the first one that ended.
  typename Policy::template plain<std::size_t>* index = nullptr;

  static constexpr std::uint32_t undecided = std::uint32_t{1} << 31;
};
using dependency = basic_dependency<std_policy>;

/// The futures that a race needs.
template <typename Policy>
struct basic_race : basic_dependency<Policy> {
  using decision = void (*)(basic_race&) noexcept;

  basic_race(std::uint32_t number, basic_future_core<Policy>* const* needed, decision act) noexcept
      : basic_dependency<Policy>{basic_dependency<Policy>::kind::race, number, needed,
                                 number + basic_dependency<Policy>::undecided},
        decided(act) {}

  /// Called by the thread that ended the first one, once `index` is written. The race ends later.
  decision decided;
};
using future_race = basic_race<std_policy>;

/// The futures that a started coroutine needs: a place for each coroutine in it that awaits a
/// future. Everything here is guarded by the lock of the future of the started coroutine, and
/// changes until that future ends.
template <typename Policy>
struct basic_coroutine_needs : basic_dependency<Policy> {
  basic_coroutine_needs() noexcept
      : basic_dependency<Policy>{basic_dependency<Policy>::kind::coroutine, 0, nullptr, 1} {}

  /// Null if the place is free.
  std::vector<basic_future_core<Policy>*> places;
  std::vector<std::uint32_t> free;
  /// The number of waiters that must be notified when a place is taken.
  std::uint32_t watchers = 0;
  /// The node that is rung for these waiters.
  node taken{nullptr};
};

/// The generation of this process: the number of forks that led to it.
unsigned fork_generation() noexcept;
/// Throws evencube::error if `made_in` is not the generation of this process.
EVENCUBE_EXPORT void check_future_process(unsigned made_in);

/// A task whose result may be asked for. The future and the slot of the queue share it. A waiter
/// may begin the task first; the slot is then empty. It knows its runtime only by number, because
/// it may outlive the runtime.
template <typename Policy>
class basic_future_core : public task {
 public:
  using dependency_type = basic_dependency<Policy>;
  using hold_type = basic_future_hold<Policy>;

  /// The state in which a future is made.
  enum class stage : std::uint32_t {
    /// The task needs other futures, or is not released yet.
    unreleased = 0,
    /// The task may run.
    released = 16,
    /// The future has a value.
    ended = 16 + 2 + 1
  };

  basic_future_core(const basic_future_core&) = delete;
  basic_future_core& operator=(const basic_future_core&) = delete;

  /// True if the task has ended. Seq_cst: acquire, which pairs with the release in `settle`; also
  /// read after the announcement of a waiter for any of several futures (invariant waiting.any).
  [[nodiscard]] bool done() const noexcept {
    return (state_.load(std::memory_order_seq_cst) & ended) != 0;
  }
  /// True if the task threw. Call once the task is done.
  [[nodiscard]] bool threw() const noexcept {
    return (state_.load(std::memory_order_relaxed) & failed) != 0;
  }

  /// Elects the thread that runs the task: true for the first caller once the task may run.
  /// Acquire: pairs with the release in `release`, for a thread that comes to it through the
  /// futures above. Seq_cst as in `done`.
  bool begin() noexcept {
    return (state_.load(std::memory_order_seq_cst) & (begun | released)) == released &&
           (state_.fetch_or(begun, std::memory_order_acquire) & begun) == 0;
  }

  /// True if the task may run and has not begun; may be out of date at once. Seq_cst as in `begin`.
  [[nodiscard]] bool may_begin() const noexcept {
    return (state_.load(std::memory_order_seq_cst) & (begun | released)) == released;
  }

  /// True if the task has begun, so its slot has nothing left to run.
  [[nodiscard]] bool has_begun() const noexcept {
    return (state_.load(std::memory_order_relaxed) & begun) != 0;
  }

  /// Asks the end of the task to wake the waiters. Returns false if the task has ended. Release:
  /// pairs with the acquire in `settle`, because a waiter has entered the room before (invariant
  /// waiting.others). Acquire: pairs with the release there, for what the task wrote.
  bool announce_waiter() noexcept {
    return (state_.fetch_or(awaited, std::memory_order_acq_rel) & ended) == 0;
  }

  /// The number of the runtime of the task. 0 if there is none; the future has then ended.
  [[nodiscard]] std::uint64_t runtime_id() const noexcept { return runtime_id_; }
  /// The arena in which the task runs, or null.
  [[nodiscard]] basic_arena<Policy>* arena() const noexcept { return arena_; }
  /// Puts the task into an arena. Call once, before other threads know of the task.
  EVENCUBE_EXPORT void put_into(basic_arena<Policy>& arena) noexcept;
  /// Sets the hint of its cost. Call once, before the task may run.
  void set_hint(std::uint32_t cost) noexcept { hint_ = static_cast<std::uint16_t>(cost - 1); }
  [[nodiscard]] std::uint32_t hint() const noexcept { return std::uint32_t{hint_} + 1; }
  /// Throws evencube::error in a process forked from the one that made the task, unless the task is
  /// done.
  void check_alive() const {
    if (!done()) check_process();
  }
  /// Like `check_alive`, but throws even if the task is done, because its runtime does not exist
  /// here.
  void check_process() const { detail::check_future_process(fork_generation_); }

  /// Gives back one hold. The last holder destroys the state.
  void drop() noexcept {
    // Release: what this holder did comes before the destruction; acquire: so does what the others
    // did.
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(*this);
  }

  /// The futures that this one needs; null if it is a task of its own, or was ready when it was
  /// made.
  [[nodiscard]] const dependency_type* needs() const noexcept { return needs_; }
  /// Called after the task has begun or ended: returns when no thread reads its needs any more.
  EVENCUBE_EXPORT void close() noexcept;

  // -- The links, for the library alone (src/futures/future_links.hpp) ----------------------------

  /// Makes this future antecedent number `position` of `consumer`. Returns false if this one has
  /// already ended.
  bool attach(basic_future_core& consumer, std::uint32_t position) noexcept;
  /// Called on a `when_all` or `when_any` for antecedent number `position`, which had no consumer
  /// and has ended. Ends this future if the antecedent was the last or the first, and gives back
  /// the antecedent's hold of it.
  template <typename News>
  void arrive(std::uint32_t position, News& news) noexcept;
  /// Ends this future, and those futures above for which this was the last or the first. Returns
  /// the task that is released by that, with the hold that its antecedent had, or null. Sets
  /// `to_waiter` if the waiter that runs this task may run that one next, because it is surely
  /// below the target of the wait.
  template <typename News>
  basic_future_core* settle(bool threw, News& news, bool& to_waiter) noexcept;
  /// Releases the task: it may run from now on.
  void release() noexcept;
  /// For a coroutine: records that it also needs `other`, with a hold of it, until `need_no_longer`
  /// with the place returned. Throws std::bad_alloc.
  template <typename News>
  std::uint32_t need(basic_future_core& other, News& news);
  void need_no_longer(std::uint32_t place) noexcept;
  /// For a coroutine: true if it needs any future at the moment.
  [[nodiscard]] bool needs_any() noexcept;
  /// For a coroutine: counts in a waiter. When the coroutine needs one more future, the returned
  /// node is rung.
  const node& watch() noexcept;
  void watch_no_longer() noexcept;

  hold_type hold() noexcept;
  /// Upwards: the consumer, the position there, and in `had_another` whether this future had
  /// another consumer before, so that the way may lead to another tree. Empty if there is no
  /// consumer, or this future has ended.
  hold_type consumer(std::uint32_t& position, bool& had_another) noexcept;
  /// Downwards: the first antecedent from number `position` on that has not ended, and its number.
  /// Empty if there is none, or this future has begun or ended.
  hold_type antecedent(std::uint32_t& position) noexcept;

  // Between a waiter that runs this task and the end of the task:
  /// Notes the consumer that the waiter would run next if that may run then.
  void expect(basic_future_core* consumer) noexcept { expected_ = consumer; }
  /// Called by the end of the task: gives the waiter a task to run, with a hold.
  void hand(basic_future_core& ready) noexcept { handed_ = &ready; }
  /// Takes the task that was given to the waiter, or null.
  [[nodiscard]] basic_future_core* take_handed() noexcept;

 protected:
  EVENCUBE_EXPORT basic_future_core(std::uint64_t runtime_id, stage at, std::uint32_t holders,
                                    void (*execute)(task&, runner&) noexcept,
                                    void (*destroy)(basic_future_core&) noexcept,
                                    dependency_type* needs = nullptr);
  ~basic_future_core() {
    if (arena_ != nullptr) leave_arena();
  }

 private:
  static constexpr std::uint32_t begun = 1;
  static constexpr std::uint32_t ended = 2;
  static constexpr std::uint32_t failed = 4;
  static constexpr std::uint32_t awaited = 8;
  static constexpr std::uint32_t released = 16;
  /// Another future needs this one.
  static constexpr std::uint32_t continued = 32;

  EVENCUBE_EXPORT void leave_arena() noexcept;
  /// True if the end of this antecedent ends this future, or releases it.
  bool has_arrived(std::uint32_t position) noexcept;

  typename Policy::template atomic<std::uint32_t> state_;
  typename Policy::template atomic<std::uint32_t> holders_;
  void (*destroy_)(basic_future_core&) noexcept;
  std::uint64_t runtime_id_;
  basic_arena<Policy>* arena_ = nullptr;
  unsigned fork_generation_;
  /// Guards the three members below and the searches through the antecedents.
  basic_futex_lock<Policy> lock_;
  /// The consumer, the position of this future there, and whether there was another consumer
  /// before.
  typename Policy::template plain<basic_future_core*> consumer_ = nullptr;
  typename Policy::template plain<std::uint32_t> position_ = 0;
  typename Policy::template plain<bool> had_consumer_ = false;
  std::uint16_t hint_ = 0;
  dependency_type* const needs_;
  /// Set while a waiter runs this task: the consumer that the waiter would run next, and the task
  /// given to it.
  typename Policy::template plain<basic_future_core*> expected_ = nullptr;
  typename Policy::template plain<basic_future_core*> handed_ = nullptr;
};

/// Wakes all threads that wait for the node, of any runtime.
void ring_waiters(const node& ended) noexcept;

}  // namespace evencube::detail
