#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/first_failure.hpp>
#include <evencube/detail/forked.hpp>
#include <evencube/detail/least.hpp>

namespace evencube::detail {

/// Iterations [first_, last_) that a loop has given away as a task.
struct loop_piece : fork_task {
  std::size_t first_;
  std::size_t last_;
  loop_piece* following_;  // the piece with the iterations that follow
};

struct loop_frame;

/// How the pieces of a kind of loop are made.
struct loop_kind {
  /// Makes a task of these iterations; `discard` undoes that. Throws std::bad_alloc.
  loop_piece* (*detach)(const loop_frame&, std::size_t first, std::size_t last);
  void (*discard)(loop_piece*) noexcept;
};

/// A loop under way on a worker's stack. Nothing is queued for it until another worker asks for
/// work. Then the worker gives away the later half of what is left of its outermost loop, the
/// largest piece that it can give. (Tzannes et al. 2010 split lazily; Rainey et al. 2021 promote
/// the outermost.)
struct loop_frame {
  loop_frame* outer_;
  const node* parent_;
  std::size_t next_;  // the first iteration not begun
  std::size_t last_;
  loop_piece* pieces_;  // given away, by ascending iterations
  /// Shared by all pieces of the loop. If a piece fails elsewhere, the worker ends the loop here
  /// (`last_`).
  first_failure* failure_;
  const loop_kind* kind_;
};

/// True if the loops under way on a worker, of which `innermost` is one, have so much to give away
/// that another loop within them needs no tasks of its own: two loops, or one with iterations that
/// have not begun.
inline bool have_enough_to_give(const loop_frame* innermost) noexcept {
  return innermost != nullptr &&
         (innermost->outer_ != nullptr || innermost->next_ < innermost->last_);
}

/// Folds the iterations of `Work` in their order. A Runner, which runs the loop, has these members:
/// const node* running()                   the task that it runs
/// loop_stack& loops()                     the loops that it runs
/// bool wanted(); void poll()              whether others demand its attention; answers them
/// bool settle(fork_task&)                 as `basic_worker::settle`
/// void keep_failure(first_failure&)       stores the exception being handled, and makes the loops
/// of that failure end on all workers
/// A Work has these members:
/// value                                   the type of the fold: any movable type
/// value start(i)                          the value of iteration i alone
/// void step(value&, first, count)         folds `count` iterations into the value
/// void step(value&, i)                    folds one iteration, with less overhead
/// void append(value&, value&&)            folds the value of later iterations into the first
/// auto local_copy() const                 a copy to step with, for a local variable
/// std::size_t grain                       iterations between two checks for requests, or 0: chosen
/// while the loop runs
template <typename Work, typename Runner>
class range_loop : loop_frame {
 public:
  using value = typename Work::value;

  /// An exception of an iteration is stored in `failure`, which all pieces share. The other workers
  /// are notified (`basic_workers::tell_failure`), and end between two chunks.
  range_loop(const Work& work, std::size_t first, std::size_t last, first_failure& failure) noexcept
      : loop_frame{nullptr, nullptr, first, last, nullptr, &failure, &kind}, work_(&work) {}
  range_loop(const range_loop&) = delete;
  range_loop& operator=(const range_loop&) = delete;
  ~range_loop() = default;

  /// Folds all iterations into `sum`, also those of pieces that were given away. Call once. After a
  /// failure the sum is meaningless; pieces that have not begun are dropped, and the others are
  /// awaited. The caller has checked for a failure since the worker last polled. The worker learns
  /// of a later failure once it has recorded this loop (invariant loops.throw).
  void run(Runner& w, value& sum) noexcept {
    enter(w);
    finish(w, sum);
  }
  /// Like `run`, but answers no demands for attention as long as the loop takes less than
  /// `limit_ns` (invariant loops.short). `began` is the time of now, or 0, and then it is set when
  /// a thread demands attention. Returns false if the loop took longer.
  [[nodiscard]] bool run_alone(Runner& w, value& sum, std::int64_t& began,
                               std::int64_t limit_ns) noexcept {
    enter(w);
    bool in_time = true;
    try {
      in_time = iterate_alone(w, sum, began, limit_ns);
    } catch (...) {
      w.keep_failure(*failure_);
      next_ = last_;
    }
    if (next_ == last_ && pieces_ == nullptr) {
      w.loops().leave(outer_);
    } else {
      finish(w, sum);
    }
    return in_time;
  }

 private:
  /// How long a chunk may run without a check for requests.
  static constexpr std::int64_t aim_ns = 5'000;
  /// The number of iterations that run one by one before they are timed.
  static constexpr std::size_t trial = 32;

  void enter(Runner& w) noexcept {
    parent_ = w.running();
    outer_ = w.loops().enter(this);
  }
  void finish(Runner& w, value& sum) noexcept {
    try {
      do {
        iterate(w, sum);
      } while (pieces_ != nullptr && !failure_->present() && next_piece(w, sum));
    } catch (...) {
      w.keep_failure(*failure_);
    }
    w.loops().leave(outer_);
    if (pieces_ != nullptr) drop_pieces(w);
  }

  struct piece : loop_piece {
    piece(const Work& work, first_failure& failure) : work_(&work), failure_(&failure) {
      execute_ = &run;
    }
    piece(const piece&) = delete;
    piece& operator=(const piece&) = delete;
    ~piece() {}

    static void run(task& t, runner& base) noexcept {
      auto& self = static_cast<piece&>(t);
      detail::finish(self,
                     self.fold(static_cast<Runner&>(base)) ? fork_done : fork_done | fork_failed);
    }

    bool fold(Runner& caller) noexcept {
      if (failure_->present()) return false;
      try {
        value sum = work_->start(first_);
        if (failure_->present()) return false;
        range_loop rest(*work_, first_ + 1, last_, *failure_);
        rest.run(caller, sum);
        if (failure_->present()) return false;
        ::new (static_cast<void*>(std::addressof(value_))) value(std::move(sum));
        return true;
      } catch (...) {
        caller.keep_failure(*failure_);
        return false;
      }
    }

    const Work* work_;
    first_failure* failure_;
    union {
      value value_;
    };
  };

  static loop_piece* detach(const loop_frame& frame, std::size_t first, std::size_t last) {
    const auto& from = static_cast<const range_loop&>(frame);
    auto* const made = new piece(*from.work_, *from.failure_);
    made->first_ = first;
    made->last_ = last;
    return made;
  }
  static void discard(loop_piece* made) noexcept { delete static_cast<piece*>(made); }
  static constexpr loop_kind kind{&detach, &discard};

  void iterate(Runner& w, value& sum) {
    if (work_->grain > 1 || last_ - next_ > trial) {
      iterate_in_chunks(w, sum);
      return;
    }
    const auto work = work_->local_copy();
    in_registers(sum, [&](value& here) {
      // No other thread moves `next_`, but `poll` reads it.
      for (std::size_t i = next_; i < last_; ++i) {
        next_ = i + 1;
        work.step(here, i);
        if (w.wanted()) [[unlikely]] {
          w.poll();
        }
      }
    });
  }

  /// Runs a quarter of the iterations, another one, and the rest. Stops in between if the loop has
  /// taken too long and other threads demand attention, and then returns false.
  [[nodiscard]] bool iterate_alone(Runner& w, value& sum, std::int64_t& began,
                                   std::int64_t limit_ns) {
    const auto work = work_->local_copy();
    const std::size_t quarter = detail::greatest((last_ - next_) / 4, std::size_t{1});
    const bool one_by_one = last_ - next_ <= trial;
    bool in_time = true;
    in_registers(sum, [&](value& here) {
      for (int part = 0; next_ < last_ && in_time; ++part) {
        const std::size_t first = next_;
        const std::size_t n = part < 2 && quarter < last_ - first ? quarter : last_ - first;
        if (one_by_one) {
          // A blocking scope in the body gives away what has not begun.
          for (std::size_t i = first; i < first + n && i < last_; ++i) {
            next_ = i + 1;
            work.step(here, i);
          }
        } else {
          next_ = first + n;
          work.step(here, first, n);
        }
        if (next_ < last_ && w.wanted()) {
          const std::int64_t now = now_ns();
          if (began == 0) began = now;
          in_time = now - began < limit_ns;
        }
      }
    });
    return in_time;
  }

  /// Calls fold(value) with the sum. If the sum is small and simple, calls it with a copy, which
  /// need not go through memory from one iteration to the next. After a failure the sum is
  /// meaningless.
  template <typename Fold>
  static void in_registers(value& sum, const Fold& fold) {
    if constexpr (std::is_trivially_copyable_v<value> && sizeof(value) <= 2 * sizeof(void*)) {
      value here = std::move(sum);
      fold(here);
      sum = std::move(here);
    } else {
      fold(sum);
    }
  }

  // Not inline, because its use of registers would slow short loops down.
  [[gnu::noinline]] void iterate_in_chunks(Runner& w, value& sum) {
    in_registers(sum, [&](value& here) { fold_in_chunks(w, here); });
  }

  void fold_in_chunks(Runner& w, value& sum) {
    const auto work = work_->local_copy();
    std::size_t chunk = work.grain;
    const bool found_while_running = chunk == 0;
    if (found_while_running) {
      // At first one by one, because each iteration may be long. The clock is read only if more
      // follow.
      for (std::size_t i = 0; i < trial && next_ < last_; ++i) {
        work.step(sum, next_++);
        if (w.wanted()) w.poll();
      }
      chunk = trial;
    }
    while (next_ < last_) {
      const std::size_t first = next_;
      const std::size_t n = chunk < last_ - first ? chunk : last_ - first;
      next_ = first + n;
      const bool timed = found_while_running && next_ < last_;
      const std::int64_t began = timed ? now_ns() : 0;
      work.step(sum, first, n);
      if (timed) chunk = fitting(chunk, now_ns() - began);
      if (w.wanted()) w.poll();
    }
  }

  /// The length of the next chunk, after a chunk that took `took_ns`.
  static std::size_t fitting(std::size_t chunk, std::int64_t took_ns) noexcept {
    if (took_ns < aim_ns) return chunk * 2;
    if (took_ns < 4 * aim_ns) return chunk;
    return chunk / static_cast<std::size_t>(took_ns / aim_ns) + 1;
  }

  /// Settles the pieces, the first one first. Returns true if a piece is back and its iterations
  /// are those of this loop again, to be run next.
  [[gnu::noinline]] bool next_piece(Runner& w, value& sum) {
    while (pieces_ != nullptr) {
      const std::unique_ptr<piece> back(static_cast<piece*>(pieces_));
      pieces_ = back->following_;
      if (w.settle(*back)) {
        next_ = back->first_;
        last_ = back->last_;
        // If the worker was notified of a failure earlier, it ended only the iterations of that
        // time.
        return !failure_->present();
      }
      if (detail::fork_threw(*back)) return false;
      const struct end {
        value& kept;
        ~end() { kept.~value(); }
      } after{back->value_};  // even if appending throws
      work_->append(sum, std::move(back->value_));
    }
    return false;
  }

  [[gnu::cold, gnu::noinline]] void drop_pieces(Runner& w) noexcept {
    while (pieces_ != nullptr) {
      const std::unique_ptr<piece> back(static_cast<piece*>(pieces_));
      pieces_ = back->following_;
      try {
        if (!w.settle(*back) && !detail::fork_threw(*back)) back->value_.~value();
      } catch (...) {
        // In a forked child the piece is under way in the parent, and no thread uses its copy here.
      }
    }
  }

  const Work* work_;
};

}  // namespace evencube::detail
