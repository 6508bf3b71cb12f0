#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/priority.hpp>

namespace evencube::detail {

template <typename Policy>
class basic_future_hold;

/// What a future needs before it can be: the futures below it, which `then`, `when_all` or
/// `when_any` took over. A tree, for each of them has one consumer
/// (runtime/src/futures/futures.md).
template <typename Policy>
struct basic_dependency {
  enum class kind : std::uint8_t { then, all, any, coroutine };

  kind what;
  std::uint32_t count;
  /// Each with one holder; the caller's memory, as long as the future that needs them.
  basic_future_core<Policy>* const* antecedents;
  /// all: how many have not ended; any: whether none has.
  typename Policy::template atomic<std::uint32_t> missing;
  /// Those before it have ended. Guarded by the lock of the future.
  typename Policy::template plain<std::uint32_t> first = 0;
  /// then: what it is to count for, and where it is to go.
  std::uint32_t cost = 1;
  std::optional<unsigned> home = std::nullopt;
  evencube::priority priority = evencube::priority::normal;
  /// then: what a recording calls it; null: nothing in particular.
  const char* name = nullptr;
  /// any: where to write which one was the first.
  typename Policy::template plain<std::size_t>* index = nullptr;
};
using dependency = basic_dependency<std_policy>;

/// What a started coroutine needs: a place for each coroutine of it that awaits a future. All of it
/// is guarded by the lock of the coroutine's own future, and changes until that ends.
template <typename Policy>
struct basic_coroutine_needs : basic_dependency<Policy> {
  basic_coroutine_needs() noexcept
      : basic_dependency<Policy>{basic_dependency<Policy>::kind::coroutine, 0, nullptr, 1} {}

  /// Null: nobody's.
  std::vector<basic_future_core<Policy>*> places;
  std::vector<std::uint32_t> free;
  /// Those who wait and are to be told when a place is taken, ...
  std::uint32_t watchers = 0;
  /// ... which is what they wait for.
  node taken{nullptr};
};

/// How often this process was forked away from its parent's threads.
unsigned fork_generation() noexcept;
/// Throws evencube::error if that is not this process's.
EVENCUBE_EXPORT void check_future_process(unsigned made_in);

/// A task whose result somebody may ask for: shared by the future and by the slot of the queue
/// through which it was to run. Who waits for it may begin it first; the slot is empty then. Knows
/// its runtime only by number, for it may outlive it.
template <typename Policy>
class basic_future_core : public task {
 public:
  using dependency_type = basic_dependency<Policy>;
  using hold_type = basic_future_hold<Policy>;

  /// What has happened to it already.
  enum class stage : std::uint32_t {
    /// It needs others, or is to be released yet.
    unreleased = 0,
    /// It may run.
    released = 16,
    /// It has a value.
    ended = 16 + 2 + 1
  };

  basic_future_core(const basic_future_core&) = delete;
  basic_future_core& operator=(const basic_future_core&) = delete;

  /// Whether the task has ended. Seq_cst: acquire, which pairs with the release in `settle`; and
  /// with the announcement of a waiter for any of several before it (invariant waiting.any).
  [[nodiscard]] bool done() const noexcept {
    return (state_.load(std::memory_order_seq_cst) & ended) != 0;
  }
  /// Whether it threw; once it is done.
  [[nodiscard]] bool threw() const noexcept {
    return (state_.load(std::memory_order_relaxed) & failed) != 0;
  }

  /// Elects who runs it: true for the first caller once it may run. Acquire: pairs with the release
  /// in `release`, for whoever comes to it through the futures above. Seq_cst as in `done`.
  bool begin() noexcept {
    return (state_.load(std::memory_order_seq_cst) & (begun | released)) == released &&
           (state_.fetch_or(begun, std::memory_order_acquire) & begun) == 0;
  }

  /// Whether it may run and nobody has begun it, as far as a glance tells. Seq_cst as in `begin`.
  [[nodiscard]] bool may_begin() const noexcept {
    return (state_.load(std::memory_order_seq_cst) & (begun | released)) == released;
  }

  /// Whether somebody runs it, or has: its slot has nothing left to run.
  [[nodiscard]] bool has_begun() const noexcept {
    return (state_.load(std::memory_order_relaxed) & begun) != 0;
  }

  /// Asks the task's end to wake those who wait. False if it has ended. Release: pairs with the
  /// acquire in `settle`, for who waits has entered the room before (invariant waiting.others).
  /// Acquire: pairs with the release there, for what the task wrote.
  bool announce_waiter() noexcept {
    return (state_.fetch_or(awaited, std::memory_order_acq_rel) & ended) == 0;
  }

  /// The number of the runtime whose task it is; 0: of none, and it has ended.
  [[nodiscard]] std::uint64_t runtime_id() const noexcept { return runtime_id_; }
  /// Where its task runs; null: in no arena.
  [[nodiscard]] basic_arena<Policy>* arena() const noexcept { return arena_; }
  /// Once, before anybody else knows of it: its task runs there.
  EVENCUBE_EXPORT void put_into(basic_arena<Policy>& of) noexcept;
  /// What its maker said that it costs; once, before it may run.
  void set_hint(std::uint32_t cost) noexcept { hint_ = static_cast<std::uint16_t>(cost - 1); }
  [[nodiscard]] std::uint32_t hint() const noexcept { return std::uint32_t{hint_} + 1; }
  /// Throws evencube::error in a process forked from the one that made it, unless it is done.
  void check_alive() const {
    if (!done()) check_process();
  }
  /// The same even if it is done: its runtime is not there.
  void check_process() const { detail::check_future_process(fork_generation_); }

  /// One of those who share it goes.
  void drop() noexcept {
    // Release: what this side did comes before the destruction; acquire: the other side's, too.
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(*this);
  }

  /// What it needs; null: it is a task of its own, or was ready from the beginning.
  [[nodiscard]] const dependency_type* needs() const noexcept { return needs_; }
  /// It has begun, or ended: returns when nobody looks at what it needed any more.
  EVENCUBE_EXPORT void close() noexcept;

  // -- The links, for the library alone (src/futures/future_links.hpp)
  // -----------------------------------

  /// `consumer` needs this one, as number `position`. False if this has ended already.
  bool attach(basic_future_core& consumer, std::uint32_t position) noexcept;
  /// It needs all or any, and antecedent number `position`, which nothing needed, has ended: gives
  /// back the hold that that had of it, after having ended it if it was the last or the first.
  template <typename News>
  void arrive(std::uint32_t position, News& news) noexcept;
  /// Ends it, and what it was the last or the first for. Gives back the task that may run now, with
  /// the hold that its antecedent had; null if there is none. `to_waiter`: whether the waiter that
  /// runs this one may run that one next, for it is surely below what it waits for.
  template <typename News>
  basic_future_core* settle(bool threw, News& news, bool& to_waiter) noexcept;
  /// It may run from now on.
  void release() noexcept;
  /// A coroutine's: it needs that one, too, and has a hold of it, until `need_no_longer` with the
  /// place that this gives back. Throws std::bad_alloc.
  template <typename News>
  std::uint32_t need(basic_future_core& other, News& news);
  void need_no_longer(std::uint32_t place) noexcept;
  /// A coroutine's: whether it needs any at the moment.
  [[nodiscard]] bool needs_any() noexcept;
  /// A coroutine's: who waits is told, by a ring for this, when it needs one more.
  const node& watch() noexcept;
  void watch_no_longer() noexcept;

  hold_type hold() noexcept;
  /// Up: the consumer, the place there, and whether it had another one before, so that this way may
  /// lead to another tree. Nothing if there is none, or this has ended.
  hold_type consumer(std::uint32_t& position, bool& anew) noexcept;
  /// Down: the first antecedent from number `position` on that has not ended, and its number.
  /// Nothing if there is none, or this has begun or ended.
  hold_type antecedent(std::uint32_t& position) noexcept;

  // Between a waiter that runs it and its end:
  /// The waiter would run the consumer next if it may run then.
  void expect(basic_future_core* consumer) noexcept { expected_ = consumer; }
  /// The end gives the waiter that one to run, with a hold, ...
  void hand(basic_future_core& ready) noexcept { handed_ = &ready; }
  /// ... which the waiter takes; null if it was given none.
  [[nodiscard]] basic_future_core* take_handed() noexcept;

 protected:
  EVENCUBE_EXPORT basic_future_core(std::uint64_t runtime_id, stage at, std::uint32_t holders,
                                    void (*execute)(task&, worker&) noexcept,
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
  /// Another future needs it.
  static constexpr std::uint32_t continued = 32;

  EVENCUBE_EXPORT void leave_arena() noexcept;
  /// Whether the end of that antecedent ends this one, or releases it.
  bool has_arrived(std::uint32_t position) noexcept;

  typename Policy::template atomic<std::uint32_t> state_;
  typename Policy::template atomic<std::uint32_t> holders_;
  void (*destroy_)(basic_future_core&) noexcept;
  std::uint64_t runtime_id_;
  basic_arena<Policy>* arena_ = nullptr;
  unsigned fork_generation_;
  /// Guards the three below, and who looks at what is needed.
  basic_futex_lock<Policy> lock_;
  /// Which future needs this one, as the how-manieth, and whether another one did before.
  typename Policy::template plain<basic_future_core*> consumer_ = nullptr;
  typename Policy::template plain<std::uint32_t> position_ = 0;
  typename Policy::template plain<bool> anew_ = false;
  std::uint16_t hint_ = 0;
  dependency_type* const needs_;
  /// Of a waiter that runs it: the consumer that it would run next, and whether it is to.
  typename Policy::template plain<basic_future_core*> expected_ = nullptr;
  typename Policy::template plain<basic_future_core*> handed_ = nullptr;
};

/// Wakes those who wait for the node, of whatever runtime.
void ring_waiters(const node& ended) noexcept;

}  // namespace evencube::detail
