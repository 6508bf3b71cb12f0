#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// Nodes of which somebody who waits may run descendants, besides those of its target.
using needed_nodes = std::vector<const node*>;

/// All who sleep in a wait, of whatever runtime: what each waits for. So it can be told who needs a
/// task, and who is to be woken when something has ended (runtime/src/wait/waiting.md). And which
/// runtime waits for which: never in a circle. Everything but `lock` and `unlock` needs the lock.
template <typename Policy>
class basic_waiting_room {
 public:
  /// The sleepers of one runtime.
  struct crowd {
    explicit crowd(std::uint64_t number) : id(number) {}
    /// Of the runtime, never used again. From 1.
    const std::uint64_t id;
    /// How many of its workers are here. Changes under the lock; read without it as a hint.
    typename Policy::template atomic<std::uint32_t> asleep{0};
    /// Some of its workers have waited for what may be up to coroutines. Changes once, under the
    /// lock; who reads it without that and is late takes the lock.
    typename Policy::template atomic<bool> waits_for_coroutines{false};
  };

  /// One who sleeps; lives in the frame of its wait.
  struct sleeper {
    /// What it waits for.
    const node* target;
    basic_signal_word<Policy>* bell;
    /// The worker it is, and its runtime; null for a thread outside.
    basic_worker<Policy>* who = nullptr;
    crowd* of = nullptr;
    sleeper* previous = nullptr;
    sleeper* next = nullptr;
    /// Is to be woken by a ring for this, too.
    const node* also = nullptr;
    /// What else it may run descendants of.
    const needed_nodes* others = nullptr;
    /// Its wait, where that ends with its target's end and not otherwise, so that it can be part of
    /// a circle; else null.
    const void* wait = nullptr;
    bool (*ended)(const void* wait) noexcept = nullptr;
    /// What it waits for, for people.
    const char* what = nullptr;
    /// In a search for a circle: whether it has been visited, and who follows in the circle.
    std::uint64_t visited = 0;
    sleeper* toward = nullptr;

    /// Whether it may run that. O(depth * others).
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
    // Seq_cst: before it looks whether there is work, pairs with the load in `everybody_asleep`
    // (invariant parking.last-look).
    if (s.of != nullptr) s.of->asleep.fetch_add(1, std::memory_order_seq_cst);
  }
  void leave(sleeper& s) noexcept {
    (s.previous != nullptr ? s.previous->next : first_) = s.next;
    if (s.next != nullptr) s.next->previous = s.previous;
    if (s.of != nullptr) s.of->asleep.fetch_sub(1, std::memory_order_seq_cst);
  }

  /// Wakes all who wait for `target`, which may be gone: only its address counts.
  void ring(const node* target) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->target == target || s->also == target) s->bell->raise(signal_done);
    }
  }

  /// Wakes one worker of the crowd, so that it looks around once more. False if none is here.
  bool ring_one(const crowd& of) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->of != &of) continue;
      s->bell->raise(signal_work);
      return true;
    }
    return false;
  }

  /// Wakes all workers of the crowd, so that they look around once more.
  void ring_all(const crowd& of) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->of == &of) s->bell->raise(signal_work);
    }
  }

  /// A worker of the crowd that waits for this task, which nobody has begun, or for one above it;
  /// null if there is none. O(sleepers * depth), and more where coroutines stand below a when_any.
  sleeper* who_needs(const task& unbegun, const crowd& of) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->of == &of && s->needs(unbegun)) return s;
    }
    return nullptr;
  }

  /// Whether `s`, who is in the room, waits for itself: for a task that has begun and stands on a
  /// stack below a wait, of whoever is here, which waits for such a task, and so on back to `s`.
  /// Then `toward` leads around. All of them are in the room and leave it with the lock only, so
  /// nothing changes meanwhile. O(sleepers^2 * (tasks on their stacks + depth)).
  [[nodiscard]] bool closes_circle(sleeper& s) noexcept {
    ++searches_;
    return leads_to(s, s);
  }

  /// In a forked child the room begins anew, but for the numbers of runtimes, which the child has
  /// from its parent: what it makes itself is none of those.
  void begin_anew_in_child() noexcept {
    const std::uint64_t so_far = crowds_;
    std::destroy_at(this);
    std::construct_at(this);
    crowds_ = so_far;
  }
  /// The number of the latest runtime; in a forked child its parent's, until it makes one.
  [[nodiscard]] std::uint64_t last_number() const noexcept { return crowds_; }
  /// The number of a new runtime.
  std::uint64_t new_crowd() noexcept {
    lock();
    const std::uint64_t id = ++crowds_;
    unlock();
    return id;
  }
  /// A task of runtime `from` is to wait for one of `to`, and keeps its worker, or as a coroutine
  /// that goes on there keeps none. False if that closes a circle in which some worker is kept.
  /// Throws std::bad_alloc.
  bool permit(std::uint64_t from, std::uint64_t to, bool keeps_worker) {
    const auto known = std::find_if(edges_.begin(), edges_.end(), [&](const edge& e) {
      return e.from == from && e.to == to && (e.keeps_worker || !keeps_worker);
    });
    if (known != edges_.end()) return true;
    edges_.push_back({from, to, keeps_worker});
    return keep_if_sound([this] { edges_.pop_back(); });
  }
  /// A worker is to wait for what may be up to coroutines of its runtime, which other runtimes may
  /// be needed for. False as above.
  bool permit_wait_for_coroutines(crowd& of) {
    waiting_for_coroutines_.push_back(of.id);
    if (!keep_if_sound([this] { waiting_for_coroutines_.pop_back(); })) return false;
    of.waits_for_coroutines.store(true, std::memory_order_relaxed);
    return true;
  }
  /// The runtime is gone.
  void forget(const crowd& gone) noexcept {
    std::erase_if(edges_, [&](const edge& e) { return e.from == gone.id || e.to == gone.id; });
    std::erase(waiting_for_coroutines_, gone.id);
  }

 private:
  // Whether the end of what `from` waits for needs a task on the stack of `below`. Many of these
  // stand below one another: each way up is followed until it comes to the next one's.
  static bool needs_stack_of(const sleeper& from, const sleeper& below) noexcept {
    for (const auto* f = below.who->frames(); f != nullptr; f = f->outer) {
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
      if (s->who == nullptr || s->visited == searches_ || !needs_stack_of(from, *s)) continue;
      s->visited = searches_;
      if (s != &goal && !leads_to(*s, goal)) continue;
      from.toward = s;
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
  // Invariant of waiting.md: no circle has an edge that keeps a worker, or one of coroutines that a
  // worker of their runtime waits for.
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
  std::vector<edge> edges_;  // which runtime's tasks wait for which runtime's
  std::vector<std::uint64_t> waiting_for_coroutines_;
};

/// The room of this process. In a forked child it is empty.
basic_waiting_room<std_policy>& waiting_room() noexcept;

}  // namespace evencube::detail
