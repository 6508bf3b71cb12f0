#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/task.hpp>
namespace evencube::detail {

enum class event_kind : std::uint8_t {
  root,      // a function given to `run` began; it is its own spawn
  spawned,   // aux: address of what a wait for it waits for
  homed,     // the same, queued elsewhere: the event before tells what, aux is the worker
  in_lane,   // the same, and any worker is to take it
  injected,  // spawned by a thread outside; aux as for `spawned`
  moved,     // aux: make_move
  started,
  ended,       // the innermost task that runs on this worker
  wait_began,  // of that task, for the group at the address
  wait_ended
};

/// One thing that happened to the task, or the group, at an address.
struct event {
  std::int64_t time;
  std::uint64_t where;  // kind in the upper 8 bits; user addresses have at most 47
  std::uint64_t aux;

  [[nodiscard]] event_kind kind() const noexcept { return static_cast<event_kind>(where >> 56); }
  [[nodiscard]] std::uint64_t address() const noexcept {
    return where & ((std::uint64_t{1} << 56) - 1);
  }
};

/// What all logs of one recording share: the memory left, and when it was used up.
struct event_budget {
  static constexpr std::int64_t never = INT64_MAX;

  std::atomic<std::int64_t> chunks{0};
  /// Events from here on are incomplete.
  std::atomic<std::int64_t> full_at{never};

  void fill(std::int64_t time) noexcept {
    std::int64_t before = full_at.load(std::memory_order_relaxed);
    while (time < before &&
           !full_at.compare_exchange_weak(before, time, std::memory_order_relaxed)) {
    }
  }
};

/// What one thread at a time has seen happen, in order. Never throws: without memory it stops.
class event_log {
 public:
  static constexpr std::size_t chunk_events = 2048;
  static constexpr std::size_t chunk_bytes = chunk_events * sizeof(event);

  explicit event_log(event_budget& budget) noexcept : budget_(&budget) {}

  void add(event_kind kind, const void* what, std::uint64_t aux = 0) noexcept {
    add_at(now_ns(), kind, what, aux);
  }
  /// A task is about to be open to others.
  void add_spawn(event_kind kind, slot_word word) noexcept { add_spawn_at(now_ns(), kind, word); }
  /// The same for the queue of another worker.
  void add_homed(event_kind kind, slot_word word, std::uint64_t home) noexcept {
    const std::int64_t time = now_ns();
    add_spawn_at(time, kind, word);
    add_at(time, event_kind::homed, task_of(word), home);
  }
  /// The same for a lane.
  void add_in_lane(slot_word word) noexcept {
    const std::int64_t time = now_ns();
    add_spawn_at(time, event_kind::spawned, word);
    add_at(time, event_kind::in_lane, task_of(word), 0);
  }
  void add_at(std::int64_t time, event_kind kind, const void* what, std::uint64_t aux) noexcept {
    if (next_ == end_ && !grow(time)) return;
    *next_++ = {time,
                std::uint64_t{static_cast<std::uint8_t>(kind)} << 56 |
                    reinterpret_cast<std::uintptr_t>(what),
                aux};
  }

  /// All events in order. The writer must stand still.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& chunk : chunks_) {
      const event* const end = chunk == chunks_.back() ? next_ : chunk.get() + chunk_events;
      for (const event* e = chunk.get(); e != end; ++e) visit(*e);
    }
  }

 private:
  void add_spawn_at(std::int64_t time, event_kind kind, slot_word word) noexcept {
    const task* const t = task_of(word);
    // A wait for a fork waits for it alone, any other for the whole group.
    const node* const awaited = (word & lazy_bit) != 0 ? t : t->parent_;
    add_at(time, kind, t, reinterpret_cast<std::uintptr_t>(awaited));
  }
  bool grow(std::int64_t time) noexcept;

  event* next_ = nullptr;
  event* end_ = nullptr;
  std::vector<std::unique_ptr<event[]>> chunks_;
  event_budget* budget_;
};

}  // namespace evencube::detail
