#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/frame.hpp>
#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/inbox.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// Nodes whose descendants a wait may run, besides those of its target.
using needed_nodes = std::vector<const node*>;

/// All threads of the process that sleep in a wait, of any runtime, each with its target. The room
/// finds the sleeper that needs a task, and the sleepers to wake when a node has ended
/// (runtime/src/wait/waiting.md). It also records which runtime waits for which, and refuses
/// cycles. All members but `lock` and `unlock` need the lock.
template <typename Policy>
class basic_waiting_room {
 public:
  /// The sleepers of one runtime.
  struct crowd {
    explicit crowd(basic_waiting_room& where) : room(where), id(where.new_crowd()) {}
    basic_waiting_room& room;
    /// The number of the runtime, from 1. No number is used twice.
    const std::uint64_t id;
    /// The number of sleeping workers of this runtime. It changes under the lock, and is read
    /// without it as a hint.
    typename Policy::template atomic<std::uint32_t> asleep{0};
    /// True once a worker of this runtime has waited for a future that may depend on coroutines. It
    /// changes once, under the lock. A thread that reads false without the lock takes the lock and
    /// reads it again.
    typename Policy::template atomic<bool> waits_for_coroutines{false};
  };

  /// What the room needs of a worker that sleeps.
  struct identity {
    std::uint32_t index;
    basic_inbox<Policy>* inbox;
    /// The frames of the tasks on its stack, the innermost first.
    const basic_frame<Policy>* frames;
  };

  /// A thread that sleeps in a wait. This object is in the frame of the wait.
  struct sleeper {
    /// The target of the wait.
    const node* target;
    basic_signal_word<Policy>* bell;
    /// The worker that sleeps and its runtime; null for a thread outside.
    const identity* sleeping = nullptr;
    crowd* sleepers = nullptr;
    sleeper* previous = nullptr;
    sleeper* next = nullptr;
    /// A second node whose end also wakes the sleeper, or null.
    const node* also = nullptr;
    /// Further nodes whose descendants the sleeper may run, or null.
    const needed_nodes* others = nullptr;
    /// The wait, if it ends with the end of its target and only then, so that it can be part of a
    /// cycle; otherwise null.
    const void* wait = nullptr;
    bool (*ended)(const void* wait) noexcept = nullptr;
    /// The name of the target, for people.
    const char* what = nullptr;
    /// The number of the runtime of the awaited group, for a thread outside that waits for a group;
    /// otherwise 0.
    std::uint64_t runtime_of_group = 0;
    /// Used in a search for a cycle: the search that visited this sleeper last, and the next
    /// sleeper in the cycle.
    struct {
      std::uint64_t visited = 0;
      sleeper* toward = nullptr;
    } cycle = {};

    /// True if the sleeper may run the task. O(depth * others).
    [[nodiscard]] bool needs(const task& unbegun) const noexcept {
      return descends(&unbegun, *target) ||
             (others != nullptr && std::any_of(others->begin(), others->end(), [&](const node* n) {
                return descends(&unbegun, *n);
              }));
    }
  };

  void lock() noexcept { lock_.lock(); }
  void unlock() noexcept { lock_.unlock(); }

  void enter(sleeper& s) noexcept {
    s.previous = nullptr;
    s.next = first_;
    if (first_ != nullptr) first_->previous = &s;
    first_ = &s;
    // Seq_cst: done before the sleeper checks whether there is work; pairs with the load in
    // `everybody_asleep` (invariant parking.last-look).
    if (s.sleepers != nullptr) s.sleepers->asleep.fetch_add(1, std::memory_order_seq_cst);
  }
  void leave(sleeper& s) noexcept {
    (s.previous != nullptr ? s.previous->next : first_) = s.next;
    if (s.next != nullptr) s.next->previous = s.previous;
    if (s.sleepers != nullptr) s.sleepers->asleep.fetch_sub(1, std::memory_order_seq_cst);
  }

  /// Wakes all sleepers that wait for `target`. The target may be gone: only its address is used.
  void ring(const node* target) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->target == target || s->also == target) s->bell->raise(signal_done);
    }
  }

  /// Wakes one worker of this runtime, so that it searches once more. Returns false if none is
  /// here.
  bool ring_one(const crowd& sleepers) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->sleepers != &sleepers) continue;
      s->bell->raise(signal_work);
      return true;
    }
    return false;
  }

  /// Wakes all workers of this runtime, so that they search once more.
  void ring_all(const crowd& sleepers) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->sleepers == &sleepers) s->bell->raise(signal_work);
    }
  }

  /// A worker of this runtime that needs the task, which has not begun, or null. O(sleepers *
  /// depth), and more if there are coroutines below a when_any.
  sleeper* who_needs(const task& unbegun, const crowd& sleepers) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->sleepers == &sleepers && s->needs(unbegun)) return s;
    }
    return nullptr;
  }

  /// True if a thread outside waits for a group of the runtime with this number, and the group has
  /// not ended.
  [[nodiscard]] bool awaits_group_of(std::uint64_t runtime) const noexcept {
    for (const sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->runtime_of_group == runtime && !s->ended(s->wait)) return true;
    }
    return false;
  }

  /// True if sleeper `s` waits for itself. This is the case if its target has a task that is on the
  /// stack of a sleeper, whose target has such a task, and so on back to `s`. Then `cycle.toward`
  /// leads along this cycle. All these sleepers are in the room and leave it only with the lock,
  /// so nothing changes meanwhile. O(sleepers^2 * (tasks on their stacks + depth)).
  [[nodiscard]] bool closes_circle(sleeper& s) noexcept {
    ++searches_;
    return leads_to(s, s);
  }

  /// Called in a forked child: empties the room. Only the numbers of runtimes go on from those of
  /// the parent, so that no runtime of the child has a number of the parent's.
  void begin_again_in_child() noexcept {
    const std::uint64_t so_far = crowds_;
    std::destroy_at(this);
    std::construct_at(this);
    crowds_ = so_far;
  }
  /// The number of the latest runtime. In a forked child, this is a number of the parent's until
  /// the child makes a runtime.
  [[nodiscard]] std::uint64_t last_number() const noexcept { return crowds_; }
  /// The number of a new runtime.
  std::uint64_t new_crowd() noexcept {
    lock();
    const std::uint64_t id = ++crowds_;
    unlock();
    return id;
  }
  /// Records that a task of runtime `from` is to wait for one of runtime `to`. The wait keeps a
  /// worker if `keeps_worker`; a coroutine that goes on in the other runtime keeps none. Returns
  /// false if this closes a cycle in which some worker is kept. Throws std::bad_alloc.
  bool permit(std::uint64_t from, std::uint64_t to, bool keeps_worker) {
    const auto known = std::find_if(edges_.begin(), edges_.end(), [&](const edge& e) {
      return e.from == from && e.to == to && (e.keeps_worker || !keeps_worker);
    });
    if (known != edges_.end()) return true;
    edges_.push_back({from, to, keeps_worker});
    return keep_if_sound([this] { edges_.pop_back(); });
  }
  /// Records that a worker is to wait for a future that may depend on coroutines of its runtime,
  /// which may need other runtimes. Returns false if this closes a cycle, as in `permit`.
  bool permit_wait_for_coroutines(crowd& sleepers) {
    waiting_for_coroutines_.push_back(sleepers.id);
    if (!keep_if_sound([this] { waiting_for_coroutines_.pop_back(); })) return false;
    sleepers.waits_for_coroutines.store(true, std::memory_order_relaxed);
    return true;
  }
  /// Forgets a runtime that is gone.
  void forget(const crowd& gone) noexcept {
    std::erase_if(edges_, [&](const edge& e) { return e.from == gone.id || e.to == gone.id; });
    std::erase(waiting_for_coroutines_, gone.id);
  }

 private:
  // True if the target of `from` needs a task on the stack of `below`. Many of the tasks on a stack
  // are descendants of each other, so each chain of parents is followed only up to the task of the
  // next frame.
  static bool needs_stack_of(const sleeper& from, const sleeper& below) noexcept {
    for (const auto* f = below.sleeping->frames; f != nullptr; f = f->outer) {
      const node* const next = f->outer != nullptr ? f->outer->current : nullptr;
      for (const node* n = f->current; n != nullptr && n != next; n = n->parent_) {
        if (n == from.target) return true;
      }
    }
    return false;
  }
  // Recurses as deep as there are workers in the room.
  bool leads_to(sleeper& from, const sleeper& goal) noexcept {
    if (from.wait == nullptr || from.ended(from.wait)) return false;
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->sleeping == nullptr || s->cycle.visited == searches_ || !needs_stack_of(from, *s))
        continue;
      s->cycle.visited = searches_;
      if (s != &goal && !leads_to(*s, goal)) continue;
      from.cycle.toward = s;
      return true;
    }
    return false;
  }

  struct edge {
    std::uint64_t from;
    std::uint64_t to;
    bool keeps_worker;
  };
  template <typename Undo>
  bool keep_if_sound(const Undo& undo) {
    try {
      if (sound()) return true;
    } catch (...) {
      undo();
      throw;
    }
    undo();
    return false;
  }
  // Checks the invariant of waiting.md: no cycle has an edge that keeps a worker. A coroutine's
  // edge keeps one if a worker of its runtime waits for futures that may depend on coroutines.
  bool sound() const {
    return std::none_of(edges_.begin(), edges_.end(), [this](const edge& e) {
      const bool keeps = e.keeps_worker ||
                         std::find(waiting_for_coroutines_.begin(), waiting_for_coroutines_.end(),
                                   e.from) != waiting_for_coroutines_.end();
      return keeps && leads(e.to, e.from);
    });
  }
  bool leads(std::uint64_t from, std::uint64_t to) const {
    std::vector<std::uint64_t> reached{from};
    for (std::size_t next = 0; next < reached.size(); ++next) {
      if (reached[next] == to) return true;
      for (const edge& e : edges_) {
        if (e.from != reached[next]) continue;
        if (std::find(reached.begin(), reached.end(), e.to) == reached.end()) {
          reached.push_back(e.to);
        }
      }
    }
    return false;
  }

  basic_futex_lock<Policy> lock_;
  sleeper* first_ = nullptr;
  std::uint64_t searches_ = 0;
  std::uint64_t crowds_ = 0;
  std::vector<edge> edges_;  // pairs of runtimes: tasks of the first wait for tasks of the second
  std::vector<std::uint64_t> waiting_for_coroutines_;
};

/// The room of this process. In a forked child it begins empty.
basic_waiting_room<std_policy>& waiting_room() noexcept;

}  // namespace evencube::detail
