#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/task_label.hpp>

namespace evencube::detail {

enum class event_kind : std::uint8_t {
  root,              // a function given to `run` began; it is its own spawn
  spawned,           // aux: address of what a wait for it waits for
  homed,             // what was just spawned is queued elsewhere; aux: the worker
  in_priority_list,  // what was just spawned is any worker's to take
  costly,            // what was just spawned costs more than a quantum; aux: how many
  injected,          // spawned by a thread outside; aux as for `spawned`
  moved,             // aux: make_move
  started,
  ended,       // the innermost task that runs on this worker
  wait_began,  // of that task, for the group at the address
  wait_ended,
  region_began,  // the address is that of the region's name
  region_ended,
  counted  // the address is that of the counter's name; aux: the bits of a double
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
  /// Of a spawn: the address in `aux`, and the label's number in its log above it.
  [[nodiscard]] std::uint64_t awaited() const noexcept {
    return aux & ((std::uint64_t{1} << label_shift) - 1);
  }
  [[nodiscard]] std::uint16_t label() const noexcept {
    return static_cast<std::uint16_t>(aux >> label_shift);
  }
  static constexpr unsigned label_shift = 48;
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
  void add_spawn(event_kind kind, slot_word word, const task_label& label) noexcept {
    add_spawn_at(now_ns(), kind, word, label);
  }
  /// The same for the queue of another worker.
  void add_homed(event_kind kind, slot_word word, std::uint64_t home,
                 const task_label& label) noexcept {
    const std::int64_t time = now_ns();
    add_spawn_at(time, kind, word, label);
    add_at(time, event_kind::homed, task_of(word), home);
  }
  /// The same for a priority list.
  void add_with_priority(slot_word word, const task_label& label) noexcept {
    const std::int64_t time = now_ns();
    add_spawn_at(time, event_kind::spawned, word, label);
    add_at(time, event_kind::in_priority_list, task_of(word), 0);
  }
  /// A function given to `run`.
  void add_root(const void* what) noexcept {
    add(event_kind::root, what, std::uint64_t{number_of({"run"})} << event::label_shift);
  }
  void add_at(std::int64_t time, event_kind kind, const void* what, std::uint64_t aux) noexcept {
    if (next_ == end_ && !grow(time)) return;
    *next_++ = {time,
                std::uint64_t{static_cast<std::uint8_t>(kind)} << 56 |
                    reinterpret_cast<std::uintptr_t>(what),
                aux};
  }

  /// What the numbers of labels stand for, from 1; 0 is none. The writer must stand still.
  [[nodiscard]] const std::vector<task_label>& labels() const noexcept { return labels_; }

  /// All events in order. The writer must stand still.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& chunk : chunks_) {
      const event* const end = chunk == chunks_.back() ? next_ : chunk.get() + chunk_events;
      for (const event* e = chunk.get(); e != end; ++e) visit(*e);
    }
  }

 private:
  void add_spawn_at(std::int64_t time, event_kind kind, slot_word word,
                    const task_label& label) noexcept {
    const task* const t = task_of(word);
    // A wait for a fork waits for it alone, any other for the whole group.
    const node* const awaited = (word & lazy_bit) != 0 ? t : t->parent_;
    add_at(time, kind, t,
           std::uint64_t{number_of(label)} << event::label_shift |
               reinterpret_cast<std::uintptr_t>(awaited));
    if (const std::uint32_t cost = cost_of(word); cost != 1) {
      add_at(time, event_kind::costly, t, cost);
    }
  }
  /// As a rule a worker spawns what it spawned before.
  std::uint16_t number_of(const task_label& label) noexcept {
    const void* const key =
        label.given != nullptr ? static_cast<const void*>(label.given) : label.type;
    if (key != last_label_) {
      last_number_ = look_up(label, key);
      last_label_ = key;
    }
    return last_number_;
  }
  /// 0: it has none, or there are too many, or there is no memory.
  std::uint16_t look_up(const task_label& label, const void* key) noexcept;
  bool grow(std::int64_t time) noexcept;

  event* next_ = nullptr;
  event* end_ = nullptr;
  std::vector<std::unique_ptr<event[]>> chunks_;
  event_budget* budget_;
  const void* last_label_ = nullptr;
  std::uint16_t last_number_ = 0;
  std::vector<task_label> labels_;
  std::unordered_map<const void*, std::uint16_t> numbers_;
};

}  // namespace evencube::detail
