#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include <evencube/detail/future_core.hpp>

#include "arenas/arena_core.hpp"

// The links between futures (runtime/src/futures/futures.md): which future needs which, what an end
// brings about, and how a waiter finds its way.

namespace evencube::detail {

/// One holder of a future's state: it drops its hold when it is destroyed.
template <typename Policy>
class basic_future_hold {
 public:
  using core_type = basic_future_core<Policy>;

  basic_future_hold() = default;
  /// Takes over a hold that has been counted already.
  explicit basic_future_hold(core_type* counted) noexcept : held_(counted) {}
  basic_future_hold(basic_future_hold&& other) noexcept
      : held_(std::exchange(other.held_, nullptr)) {}
  basic_future_hold& operator=(basic_future_hold&& other) noexcept {
    basic_future_hold(std::move(other)).swap(*this);
    return *this;
  }
  ~basic_future_hold() {
    if (held_ != nullptr) held_->drop();
  }
  void swap(basic_future_hold& other) noexcept { std::swap(held_, other.held_); }

  /// Passes the hold to the caller.
  [[nodiscard]] core_type* let_go() noexcept { return std::exchange(held_, nullptr); }

  [[nodiscard]] core_type* get() const noexcept { return held_; }
  core_type& operator*() const noexcept { return *held_; }
  core_type* operator->() const noexcept { return held_; }
  explicit operator bool() const noexcept { return held_ != nullptr; }

 private:
  core_type* held_ = nullptr;
};
using future_hold = basic_future_hold<std_policy>;

/// The number of changes that concern waits for any of several futures. Changes are counted only
/// while there is such a wait (invariant waiting.any).
template <typename Policy>
class basic_any_changes {
 public:
  /// Reports a change: a future was released, or a `when_any` has ended. `news.ring(n)` wakes the
  /// threads that wait for n.
  template <typename News>
  void note(News& news) noexcept {
    // Seq_cst, here and in `begin_wait`: a thread that changes something looks for waiters
    // afterwards, and a waiter looks for changes after it has announced itself. At least one sees
    // the other.
    if (waits_.load(std::memory_order_seq_cst) == 0) return;
    changes_.fetch_add(1, std::memory_order_seq_cst);
    news.ring(target_);
  }

  void begin_wait() noexcept { waits_.fetch_add(1, std::memory_order_seq_cst); }
  void end_wait() noexcept { waits_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t so_far() const noexcept {
    return changes_.load(std::memory_order_seq_cst);
  }
  /// The node that these waits have as target.
  [[nodiscard]] const node& target() const noexcept { return target_; }

 private:
  typename Policy::template atomic<std::uint32_t> waits_{0};
  typename Policy::template atomic<std::uint64_t> changes_{0};
  const node target_{nullptr};
};

// -- The members of a future that are its links. `news` has
//      ring(n)      wakes the threads that wait for the node n
//      changed()    as `basic_any_changes::note`

template <typename Policy>
void basic_future_core<Policy>::put_into(basic_arena<Policy>& arena) noexcept {
  arena.retain();
  arena_ = &arena;
}

template <typename Policy>
void basic_future_core<Policy>::leave_arena() noexcept {
  arena_->release();
}

template <typename Policy>
basic_future_core<Policy>::basic_future_core(std::uint64_t runtime_id, stage at,
                                             std::uint32_t holders,
                                             void (*execute)(task&, runner&) noexcept,
                                             void (*destroy)(basic_future_core&) noexcept,
                                             dependency_type* needs)
    : state_(static_cast<std::uint32_t>(at)),
      holders_(holders),
      destroy_(destroy),
      runtime_id_(runtime_id),
      fork_generation_(fork_generation()),
      needs_(needs) {
  parent_ = nullptr;
  execute_ = execute;
}

template <typename Policy>
void basic_future_core<Policy>::close() noexcept {
  if (Policy::checks("futures.attach-or-end: lock")) const std::lock_guard passed(lock_);
}

template <typename Policy>
bool basic_future_core<Policy>::attach(basic_future_core& consumer,
                                       std::uint32_t position) noexcept {
  basic_future_core* before = nullptr;
  {
    const std::lock_guard lock(lock_);
    if (done()) return false;
    before = consumer_;
    consumer_ = &consumer;
    position_ = position;
    if (before != nullptr) had_consumer_ = true;
    // Release: the thread that ends this future reads the consumer, under the lock. Acquire: pairs
    // with the release in `settle`.
    const std::uint32_t was = state_.fetch_or(continued, std::memory_order_acq_rel);
    if ((was & (ended | continued)) == ended && Policy::checks("futures.attach-or-end")) {
      consumer_ = nullptr;  // no thread will read it
      return false;
    }
  }
  // The former consumer was a `when_any` that has ended.
  if (before != nullptr) before->drop();
  return true;
}

template <typename Policy>
bool basic_future_core<Policy>::has_arrived(std::uint32_t position) noexcept {
  // Release: the writes of the antecedent are visible to the thread that runs this future. Acquire:
  // the last antecedent passes on what the others released.
  switch (needs_->what) {
    case dependency_type::kind::then:
      return true;
    case dependency_type::kind::all:
      return needs_->missing.fetch_sub(1, std::memory_order_acq_rel) == 1;
    case dependency_type::kind::any:
      if (needs_->missing.exchange(0, std::memory_order_acq_rel) == 0) return false;
      *needs_->index = position;
      return true;
    case dependency_type::kind::race:
      // Relaxed: elects the writer of the index. The count passes on what it writes.
      if ((needs_->missing.fetch_and(~dependency_type::undecided, std::memory_order_relaxed) &
           dependency_type::undecided) != 0) {
        *needs_->index = position;
        auto& race = static_cast<basic_race<Policy>&>(*needs_);
        race.decided(race);
      }
      return needs_->missing.fetch_sub(1, std::memory_order_acq_rel) == 1;
    case dependency_type::kind::coroutine:
      break;  // it ends by itself
  }
  return false;
}

template <typename Policy>
template <typename News>
basic_future_core<Policy>* basic_future_core<Policy>::settle(bool threw, News& news,
                                                             bool& to_waiter) noexcept {
  basic_future_core* const expected = expected_;
  to_waiter = expected != nullptr;
  hold_type link;  // a hold of the futures above this one
  for (basic_future_core* at = this;;) {
    // Release: pairs with the acquire in `done`. Acquire: pairs with the releases in
    // `announce_waiter` and `attach`. Seq_cst: before the look for waiters for any, invariant
    // waiting.any.
    const std::uint32_t before =
        at->state_.fetch_or(ended | (threw ? failed : 0), std::memory_order_seq_cst);
    if ((before & awaited) != 0) news.ring(*at);
    if (at->needs_ != nullptr && at->needs_->what == dependency_type::kind::any) news.changed();
    if ((before & continued) == 0) return nullptr;
    std::uint32_t position = 0;
    hold_type above;
    {
      // A search that was on its way up has its hold; one that comes later sees that this future
      // has ended.
      const std::lock_guard lock(at->lock_);
      above = hold_type(at->consumer_);
      at->consumer_ = nullptr;
      position = at->position_;
      // A future above the expected one is below the target of the wait if no future was given
      // away.
      if (at == this ? above.get() != expected
                     : bool{at->had_consumer_} && Policy::checks("waiting.one-tree")) {
        to_waiter = false;
      }
    }
    if (!above->has_arrived(position)) return nullptr;
    if (above->needs_->what == dependency_type::kind::then) return above.let_go();
    threw = false;
    link = std::move(above);
    at = link.get();
  }
}

template <typename Policy>
template <typename News>
void basic_future_core<Policy>::arrive(std::uint32_t position, News& news) noexcept {
  const hold_type link(this);
  bool nobody = false;
  if (has_arrived(position)) settle(false, news, nobody);
}

/// Makes `consumer` the consumer of the futures that it needs; it ends when all or any of them have
/// ended.
template <typename Policy, typename News>
void attach_all(basic_future_core<Policy>& consumer, News& news) noexcept {
  const basic_dependency<Policy>& needs = *consumer.needs();
  // An antecedent may end meanwhile, but is not destroyed: its future belongs to the caller.
  for (std::uint32_t i = 0; i < needs.count; ++i) {
    if (!needs.antecedents[i]->attach(consumer, i)) consumer.arrive(i, news);
  }
}

template <typename Policy>
void basic_future_core<Policy>::release() noexcept {
  // Release: pairs with the acquire in `begin`. Seq_cst: before the look for waiters for any.
  state_.fetch_or(released, std::memory_order_seq_cst);
}

template <typename Policy>
basic_future_hold<Policy> basic_future_core<Policy>::hold() noexcept {
  holders_.fetch_add(1, std::memory_order_relaxed);
  return hold_type(this);
}

template <typename Policy>
basic_future_hold<Policy> basic_future_core<Policy>::consumer(std::uint32_t& position,
                                                              bool& had_another) noexcept {
  const std::lock_guard lock(lock_);
  basic_future_core* const above = done() ? nullptr : consumer_;
  if (above == nullptr) return hold_type();
  position = position_;
  had_another = had_consumer_;
  return above->hold();
}

template <typename Policy>
basic_future_hold<Policy> basic_future_core<Policy>::antecedent(std::uint32_t& position) noexcept {
  if (needs_ == nullptr) return hold_type();
  dependency_type& needs = *needs_;
  const std::lock_guard lock(lock_);
  const std::uint32_t state = state_.load(std::memory_order_seq_cst);
  if (needs.what == dependency_type::kind::coroutine) {
    for (; position < needs.count && (state & ended) == 0; ++position) {
      basic_future_core* const other = needs.antecedents[position];
      if (other != nullptr && !other->done()) return other->hold();
    }
    return hold_type();
  }
  if ((state & (begun | ended)) != 0) {
    return hold_type();  // its antecedents are taken out, or may be
  }
  while (needs.first < needs.count && needs.antecedents[needs.first]->done()) ++needs.first;
  if (position < needs.first) position = needs.first;
  for (; position < needs.count; ++position) {
    if (!needs.antecedents[position]->done()) return needs.antecedents[position]->hold();
  }
  return hold_type();
}

template <typename Policy>
template <typename News>
std::uint32_t basic_future_core<Policy>::need(basic_future_core& other, News& news) {
  auto& needs = static_cast<basic_coroutine_needs<Policy>&>(*needs_);
  std::uint32_t place = 0;
  bool watched = false;
  {
    const std::lock_guard lock(lock_);
    if (needs.free.empty()) {
      needs.free.reserve(needs.places.size() + 1);
      needs.places.push_back(nullptr);
      needs.free.push_back(needs.count++);
      needs.antecedents = needs.places.data();
    }
    place = needs.free.back();
    needs.free.pop_back();
    // The link upwards is not a hold: it is taken away before this future can end.
    other.consumer_ = this;
    other.position_ = place;
    needs.places[place] = other.hold().let_go();
    watched = needs.watchers != 0 && Policy::checks("coroutines.needs: watchers");
  }
  // A watcher has looked before, under the lock, and is in the room; or it will look
  // (coroutines.needs).
  if (watched) news.ring(needs.taken);
  // Below a `when_any` there is something new to begin.
  if (Policy::checks("waiting.any: new need")) news.changed();
  return place;
}

template <typename Policy>
void basic_future_core<Policy>::need_no_longer(std::uint32_t place) noexcept {
  auto& needs = static_cast<basic_coroutine_needs<Policy>&>(*needs_);
  hold_type gone;
  {
    const std::lock_guard lock(lock_);
    gone = hold_type(std::exchange(needs.places[place], nullptr));
    needs.free.push_back(place);  // `need` has reserved room for all places
  }
  const std::lock_guard lock(gone->lock_);
  gone->consumer_ = nullptr;
}

template <typename Policy>
bool basic_future_core<Policy>::needs_any() noexcept {
  auto& needs = static_cast<basic_coroutine_needs<Policy>&>(*needs_);
  const std::lock_guard lock(lock_);
  return needs.places.size() != needs.free.size();
}

template <typename Policy>
const node& basic_future_core<Policy>::watch() noexcept {
  auto& needs = static_cast<basic_coroutine_needs<Policy>&>(*needs_);
  const std::lock_guard lock(lock_);
  ++needs.watchers;
  return needs.taken;
}

template <typename Policy>
void basic_future_core<Policy>::watch_no_longer() noexcept {
  auto& needs = static_cast<basic_coroutine_needs<Policy>&>(*needs_);
  const std::lock_guard lock(lock_);
  --needs.watchers;
}

template <typename Policy>
basic_future_core<Policy>* basic_future_core<Policy>::take_handed() noexcept {
  basic_future_core* const handed = handed_;
  handed_ = nullptr;
  return handed;
}

extern template class basic_future_core<std_policy>;

}  // namespace evencube::detail
