#pragma once

#include <utility>

#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

template <typename Policy>
struct basic_frame;

/// A task that a worker runs while there are arenas, in an arena or in none.
template <typename Policy>
struct arena_record {
  /// The arena of the task, or null.
  basic_arena<Policy>* arena;
  /// The frame around the task. The frames within it belong to the task.
  const basic_frame<Policy>* outside;
  arena_record* outer;
  /// True if the task took the worker's permit in the arena; then also the record that took a
  /// permit before.
  bool took = false;
  arena_record* outer_permit = nullptr;
};

/// What a worker records of the arenas of the tasks that it runs, and the permits that it has there
/// (runtime/src/arenas/arenas.md). Used by the worker alone.
template <typename Policy>
class basic_arena_stack {
 public:
  using arena_type = basic_arena<Policy>;
  using record_type = arena_record<Policy>;

  /// The arena of the running task, or null.
  [[nodiscard]] arena_type* innermost() const noexcept { return innermost_; }
  /// The running tasks that began since there were arenas, the innermost first.
  [[nodiscard]] const record_type* records() const noexcept { return records_; }
  /// Those of the running tasks that took a permit, the innermost first.
  [[nodiscard]] const record_type* permits() const noexcept { return permits_; }

  /// Called when a task begins, in `arena` or, if that is null, in none. `outside` is the
  /// worker's innermost frame. `took` is true if a permit was taken for the task.
  void push(record_type& record, arena_type* arena, const basic_frame<Policy>* outside,
            bool took) noexcept {
    record = {arena, outside, records_, took, permits_};
    records_ = &record;
    innermost_ = arena;
    if (took) permits_ = &record;
  }
  /// Called when the innermost task has ended. The caller returns its permit.
  void pop() noexcept {
    const record_type& ended = *records_;
    records_ = ended.outer;
    innermost_ = records_ != nullptr ? records_->arena : nullptr;
    if (ended.took) permits_ = ended.outer_permit;
  }

  /// True if the worker has a permit of the arena.
  [[nodiscard]] bool holds(const arena_type& arena) const noexcept {
    for (const record_type* r = permits_; r != nullptr; r = r->outer_permit) {
      if (r->arena == &arena) return true;
    }
    return false;
  }

  /// The arena of the task to which the frame `at` belongs, where `newest` is the worker's
  /// innermost frame. Frames that began before there were arenas, and frames of parts of tasks,
  /// belong to the task around them.
  [[nodiscard]] arena_type* at(const basic_frame<Policy>* newest,
                               const basic_frame<Policy>* at) const noexcept {
    const record_type* r = records_;
    for (const basic_frame<Policy>* g = newest; r != nullptr && g != at; g = g->outer) {
      while (r != nullptr && r->outside == g) r = r->outer;
    }
    while (r != nullptr && r->outside == at) r = r->outer;
    return r != nullptr ? r->arena : nullptr;
  }

  /// Notes that a permit has been taken for the task that runs next.
  void reserve(arena_type* arena) noexcept { reserved_ = arena; }
  /// True if a permit was noted by `reserve`; forgets it.
  [[nodiscard]] bool take_reserved() noexcept {
    return std::exchange(reserved_, nullptr) != nullptr;
  }

  /// The arena in which a wait of this worker could not begin a future because there was no permit,
  /// or null. The stack holds a reference to the arena.
  [[nodiscard]] arena_type* refused() const noexcept { return refused_; }
  /// Sets that arena, or forgets it if `lacked` is null.
  void refuse(arena_type* lacked) noexcept {
    if (lacked != nullptr) lacked->retain();
    if (arena_type* const before = std::exchange(refused_, lacked)) before->release();
  }

 private:
  arena_type* innermost_ = nullptr;
  record_type* records_ = nullptr;
  record_type* permits_ = nullptr;
  arena_type* reserved_ = nullptr;
  arena_type* refused_ = nullptr;
};

}  // namespace evencube::detail
