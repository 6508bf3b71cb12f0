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
  spawned,           // aux: address of the node that a wait for the task waits for
  homed,             // the task just spawned is queued at another worker; aux: the worker
  in_priority_list,  // the task just spawned is in a priority list
  costly,            // the task just spawned costs more than a quantum; aux: its quanta
  injected,          // spawned by a thread outside; aux as for `spawned`
  moved,             // to another worker; aux: make_move
  started,
  ended,       // the innermost task that runs on this worker
  wait_began,  // by that task, for the group at the address
  wait_ended,
  region_began,  // the address is that of the name of the region
  region_ended,
  counted  // the address is that of the name of the counter; aux: the bits of a double
};

/// An event that happened to the task, or the group, at an address.
struct event {
  std::int64_t time;
  std::uint64_t where;  // the kind in the upper 8 bits; user addresses have at most 47
  std::uint64_t aux;

  [[nodiscard]] event_kind kind() const noexcept { return static_cast<event_kind>(where >> 56); }
  [[nodiscard]] std::uint64_t address() const noexcept {
    return where & ((std::uint64_t{1} << 56) - 1);
  }
  /// For a spawn: the address in `aux`. Above it, `aux` has the number of the label in its log.
  [[nodiscard]] std::uint64_t awaited() const noexcept {
    return aux & ((std::uint64_t{1} << label_shift) - 1);
  }
  [[nodiscard]] std::uint16_t label() const noexcept {
    return static_cast<std::uint16_t>(aux >> label_shift);
  }
  static constexpr unsigned label_shift = 48;
};

/// The state that all logs of one recording share: the memory left, and the time when it was used
/// up.
struct event_budget {
  static constexpr std::int64_t never = INT64_MAX;

  std::atomic<std::int64_t> chunks{0};
  /// Events from this time on are incomplete.
  std::atomic<std::int64_t> full_at{never};

  void fill(std::int64_t time) noexcept {
    std::int64_t before = full_at.load(std::memory_order_relaxed);
    while (time < before &&
           !full_at.compare_exchange_weak(before, time, std::memory_order_relaxed)) {
    }
  }
};

/// The events that one thread at a time has seen, in order. Never throws: without memory it stops
/// recording.
class event_log {
 public:
  static constexpr std::size_t chunk_events = 2048;
  static constexpr std::size_t chunk_bytes = chunk_events * sizeof(event);

  explicit event_log(event_budget& budget) noexcept : budget_(&budget) {}

  void add(event_kind kind, const void* what, std::uint64_t aux = 0) noexcept {
    add_at(now_ns(), kind, what, aux);
  }
  /// Adds the spawn of a task. Call before the task is open to other workers.
  void add_spawn(event_kind kind, slot_word word, const task_label& label) noexcept {
    add_spawn_at(now_ns(), kind, word, label);
  }
  /// Adds the spawn of a task for the queue of worker `home`.
  void add_homed(event_kind kind, slot_word word, std::uint64_t home,
                 const task_label& label) noexcept {
    const std::int64_t time = now_ns();
    add_spawn_at(time, kind, word, label);
    add_at(time, event_kind::homed, task_of(word), home);
  }
  /// Adds the spawn of a task for a priority list.
  void add_with_priority(slot_word word, const task_label& label) noexcept {
    const std::int64_t time = now_ns();
    add_spawn_at(time, event_kind::spawned, word, label);
    add_at(time, event_kind::in_priority_list, task_of(word), 0);
  }
  /// Adds the beginning of a function given to `run`.
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

  /// The labels by their numbers, from 1; the number 0 is no label. The writer must stand still.
  [[nodiscard]] const std::vector<task_label>& labels() const noexcept { return labels_; }

  /// Calls visit(event) for all events in order. The writer must stand still.
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
    // A wait for a fork waits for this fork alone; any other wait is for the whole group.
    const node* const awaited = (word & lazy_bit) != 0 ? t : t->parent_;
    add_at(time, kind, t,
           std::uint64_t{number_of(label)} << event::label_shift |
               reinterpret_cast<std::uintptr_t>(awaited));
    if (const std::uint32_t cost = cost_of(word); cost != 1) {
      add_at(time, event_kind::costly, t, cost);
    }
  }
  /// The number of a label. Remembers the last one, because a worker usually spawns the same kind
  /// of task again.
  std::uint16_t number_of(const task_label& label) noexcept {
    const void* const key =
        label.given != nullptr ? static_cast<const void*>(label.given) : label.type;
    if (key != last_label_) {
      last_number_ = look_up(label, key);
      last_label_ = key;
    }
    return last_number_;
  }
  /// Looks the number up. Returns 0 if there is no label, there are too many, or there is no
  /// memory.
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
