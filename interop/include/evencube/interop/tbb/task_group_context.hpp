#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include <evencube/interop/tbb/detail/floating_point.hpp>

namespace evencube::tbb {

class task_group_context;

namespace detail {

/// The part of a thread's state that an algorithm call passes on to the threads that help with the
/// call.
struct surroundings {
  task_group_context* context = nullptr;  // the innermost context, or null
  const void* arena = nullptr;            // the innermost task_arena, or null
};
inline thread_local surroundings here{};

/// Sets the surroundings of the calling thread until this object is destroyed.
class surroundings_scope {
 public:
  explicit surroundings_scope(const surroundings& now) noexcept : before_(here) { here = now; }
  surroundings_scope(const surroundings_scope&) = delete;
  surroundings_scope& operator=(const surroundings_scope&) = delete;
  ~surroundings_scope() { here = before_; }

 private:
  surroundings before_;
};

/// Guards the links from contexts to their outer contexts.
inline constinit std::mutex context_links;

/// The number of cancelled contexts. While it is 0, no chain of contexts has to be searched.
/// Relaxed, like the contexts' own flags.
inline constinit std::atomic<unsigned> cancelled_contexts{0};

struct context_access;

}  // namespace detail

/// Cancels the algorithms and groups that the context was passed to; bodies that have not begun are
/// skipped. If an algorithm with a `bound` context is running inside another algorithm's body,
/// cancelling the outer algorithm also cancels the inner one. An `isolated` context ignores outer
/// cancellations.
class task_group_context {
 public:
  enum kind_type { isolated, bound };
  enum traits_type : std::uintptr_t {
    fp_settings = 1U << 1,
    concurrent_wait = 1U << 2,
    default_traits = 0
  };

  /// Makes a context. With the trait `fp_settings`, the context captures the calling thread's
  /// floating-point settings, and the bodies run with them.
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits)
      : kind_(kind), traits_(traits) {
    if ((traits & fp_settings) != 0) capture_fp_settings();
  }
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;
  ~task_group_context() { reset(); }

  /// Cancels the algorithms. Returns false if they were already cancelled.
  bool cancel_group_execution() noexcept {
    return !is_group_execution_cancelled() && set_cancelled();
  }
  /// Returns true if the algorithms were cancelled.
  [[nodiscard]] bool is_group_execution_cancelled() noexcept {
    if (cancelled_.load(std::memory_order_relaxed)) return true;
    if (outer_.load(std::memory_order_relaxed) == nullptr ||
        detail::cancelled_contexts.load(std::memory_order_relaxed) == 0) {
      return false;
    }
    const std::lock_guard lock(detail::context_links);
    return cancelled_inside();
  }
  /// Ends the cancellation. Call this only while no algorithm uses the context.
  void reset() noexcept {
    if (cancelled_.load(std::memory_order_relaxed) &&
        cancelled_.exchange(false, std::memory_order_relaxed)) {
      detail::cancelled_contexts.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  /// Captures the calling thread's floating-point settings for the bodies. Call this only while no
  /// algorithm uses the context.
  void capture_fp_settings() noexcept {
    settings_ = detail::floating_point_settings::of_this_thread();
  }
  [[nodiscard]] std::uintptr_t traits() const noexcept { return traits_; }

 private:
  friend struct detail::context_access;

  /// Call this only when outer contexts cannot end: within the algorithm, or with the links' lock
  /// held.
  [[nodiscard]] bool cancelled_inside() const noexcept {
    if (detail::cancelled_contexts.load(std::memory_order_relaxed) == 0) return false;
    for (const task_group_context* at = this; at != nullptr;
         at = at->outer_.load(std::memory_order_relaxed)) {
      if (at->cancelled_.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }

  bool set_cancelled() noexcept {
    detail::cancelled_contexts.fetch_add(1, std::memory_order_relaxed);
    if (!cancelled_.exchange(true, std::memory_order_relaxed)) return true;
    detail::cancelled_contexts.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  // Hints, so accesses are relaxed: the joins hand over results and exceptions.
  std::atomic<bool> cancelled_{false};
  std::atomic<task_group_context*> outer_{nullptr};
  unsigned uses_ = 0;  // algorithms in progress that use it; guarded by the links' lock
  kind_type kind_;
  std::uintptr_t traits_;
  std::optional<detail::floating_point_settings> settings_;
};

namespace detail {

struct context_access {
  [[nodiscard]] static bool cancelled_inside(const task_group_context& of) noexcept {
    return of.cancelled_inside();
  }
  [[nodiscard]] static const std::optional<floating_point_settings>& settings(
      const task_group_context& of) noexcept {
    return of.settings_;
  }
  /// Links a context that no other thread knows of yet.
  static void link_new(task_group_context& of, task_group_context* outer) noexcept {
    of.outer_.store(outer, std::memory_order_relaxed);
  }
  /// Begins a use of the context; the first use links it to its outer context.
  static void begin_use(task_group_context& of, task_group_context* outer) noexcept {
    const std::lock_guard lock(context_links);
    if (of.uses_++ != 0 || of.kind_ == task_group_context::isolated) return;
    for (const task_group_context* at = outer; at != nullptr;
         at = at->outer_.load(std::memory_order_relaxed)) {
      if (at == &of) return;  // the program gave the same context to an inner algorithm
    }
    of.outer_.store(outer, std::memory_order_relaxed);
  }
  /// Ends a use. The end of the last use records any cancellation by an outer context, and removes
  /// the link to that context.
  static void end_use(task_group_context& of) noexcept {
    const std::lock_guard lock(context_links);
    if (--of.uses_ != 0) return;
    if (of.cancelled_inside()) of.set_cancelled();
    of.outer_.store(nullptr, std::memory_order_relaxed);
  }
};

/// A use of a context by an algorithm or a group.
class context_use {
 public:
  explicit context_use(task_group_context& of) noexcept : of_(of) {
    context_access::begin_use(of, here.context);
  }
  context_use(const context_use&) = delete;
  context_use& operator=(const context_use&) = delete;
  ~context_use() { context_access::end_use(of_); }

 private:
  task_group_context& of_;
};

}  // namespace detail

}  // namespace evencube::tbb
