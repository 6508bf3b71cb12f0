#pragma once

#include <utility>

#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

template <typename Policy>
struct basic_frame;

/// A task that a worker runs while there are arenas, of one arena or of none.
template <typename Policy>
struct arena_record {
  /// Null if the task is in no arena.
  basic_arena<Policy>* of;
  /// The frames within this one are those of the task.
  const basic_frame<Policy>* outside;
  arena_record* outer;
  /// Whether it took the worker's permit in the arena, and the record that took one before.
  bool took = false;
  arena_record* outer_permit = nullptr;
};

/// What a worker knows of the arenas of the tasks that it runs, and the permits that it has there
/// (runtime/src/arenas/arenas.md). Used by the worker alone.
template <typename Policy>
class basic_arena_stack {
 public:
  using arena_type = basic_arena<Policy>;
  using record_type = arena_record<Policy>;

  /// The arena of the running task; null if it is in none.
  [[nodiscard]] arena_type* innermost() const noexcept { return innermost_; }
  /// The tasks that run since there were arenas, the innermost first.
  [[nodiscard]] const record_type* records() const noexcept { return records_; }
  /// Those of them that took a permit.
  [[nodiscard]] const record_type* permits() const noexcept { return permits_; }

  /// A task begins, of the arena `of` or, if that is null, of none; `outside` is the worker's
  /// innermost frame. `took`: a permit was taken for it.
  void push(record_type& record, arena_type* of, const basic_frame<Policy>* outside,
            bool took) noexcept {
    record = {of, outside, records_, took, permits_};
    records_ = &record;
    innermost_ = of;
    if (took) permits_ = &record;
  }
  /// The innermost task has ended. Its permit is the caller's to return.
  void pop() noexcept {
    const record_type& ended = *records_;
    records_ = ended.outer;
    innermost_ = records_ != nullptr ? records_->of : nullptr;
    if (ended.took) permits_ = ended.outer_permit;
  }

  /// Whether the worker has a permit of the arena.
  [[nodiscard]] bool holds(const arena_type& of) const noexcept {
    for (const record_type* r = permits_; r != nullptr; r = r->outer_permit) {
      if (r->of == &of) return true;
    }
    return false;
  }

  /// The arena of the innermost task that began within or at the frame `at`, where `newest` is the
  /// worker's innermost frame. Frames that began before there were arenas, and those of parts of
  /// tasks, belong to the task outside of them.
  [[nodiscard]] arena_type* at(const basic_frame<Policy>* newest,
                               const basic_frame<Policy>* at) const noexcept {
    const record_type* r = records_;
    for (const basic_frame<Policy>* g = newest; r != nullptr && g != at; g = g->outer) {
      while (r != nullptr && r->outside == g) r = r->outer;
    }
    while (r != nullptr && r->outside == at) r = r->outer;
    return r != nullptr ? r->of : nullptr;
  }

  /// A permit has been taken for the task that runs next.
  void reserve(arena_type* of) noexcept { reserved_ = of; }
  /// Whether it was; forgets it.
  [[nodiscard]] bool take_reserved() noexcept {
    return std::exchange(reserved_, nullptr) != nullptr;
  }

  /// The arena in which a wait of this worker could not begin a future because it had no permit;
  /// null if there was none. The stack holds a reference to it.
  [[nodiscard]] arena_type* refused() const noexcept { return refused_; }
  /// Sets it, or forgets it if null.
  void refuse(arena_type* lacked) noexcept {
    if (lacked != nullptr) lacked->hold();
    if (arena_type* const before = std::exchange(refused_, lacked)) before->drop();
  }

 private:
  arena_type* innermost_ = nullptr;
  record_type* records_ = nullptr;
  record_type* permits_ = nullptr;
  arena_type* reserved_ = nullptr;
  arena_type* refused_ = nullptr;
};

}  // namespace evencube::detail
