#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include <evencube/detail/forked.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// Iterations [first_, last_) that a loop has given away as a task.
struct loop_piece : fork_task {
  std::size_t first_;
  std::size_t last_;
  loop_piece* next_;  // the piece with the iterations that follow
};

/// A loop under way on a worker's stack. Nothing is queued for it until somebody wants work: then
/// the worker gives away the later half of what is left of its outermost loop, the largest piece it
/// can give. (Tzannes et al. 2010 split lazily; Rainey et al. 2021 promote the outermost.)
struct loop_frame {
  loop_frame* outer_;
  const node* parent_;
  std::size_t next_;  // the first iteration not begun
  std::size_t last_;
  loop_piece* pieces_;  // given away, by ascending iterations
  /// Makes a task of these iterations. Throws std::bad_alloc.
  loop_piece* (*detach_)(const loop_frame&, std::size_t first, std::size_t last);
};

/// Folds the iterations of `Work` in their order. A Work has
///   value                                   what iterations make: any movable type
///   value start(i)                          the value of iteration i alone
///   void step(value&, first, count)         folds so many iterations into the value
///   void append(value&, value&&)            folds the value of later iterations into it
///   std::size_t grain                       iterations between two looks at others' wishes, or
///                                           0: chosen while running
template <typename Work>
class range_loop : loop_frame {
 public:
  using value = typename Work::value;

  range_loop(const Work& work, std::size_t first, std::size_t last) noexcept
      : loop_frame{nullptr, nullptr, first, last, nullptr, &detach}, work_(&work) {}
  range_loop(const range_loop&) = delete;
  range_loop& operator=(const range_loop&) = delete;
  ~range_loop() = default;

  /// Folds everything into `sum`; the iterations given away too. Once only. If an iteration throws,
  /// what was given away and has not begun is dropped, the rest awaited.
  void run(worker& w, value& sum) {
    parent_ = w.running();
    outer_ = w.enter(this);
    try {
      do {
        iterate(w, sum);
      } while (pieces_ != nullptr && next_piece(w, sum));
    } catch (...) {
      w.leave(outer_);
      drop_pieces(w);
      throw;
    }
    w.leave(outer_);
  }

 private:
  using clock = std::chrono::steady_clock;

  /// How long one may run without a look at what others want.
  static constexpr std::chrono::nanoseconds aim{5'000};
  /// Iterations that run one by one before their time is taken.
  static constexpr std::size_t trial = 32;

  struct piece : loop_piece {
    explicit piece(const Work& work) : work_(&work) { type_ = &type; }
    piece(const piece&) = delete;
    piece& operator=(const piece&) = delete;
    ~piece() {}

    static void run(task& t, worker& by) noexcept {
      auto& self = static_cast<piece&>(t);
      complete(
          self, by,
          [&] {
            value sum = self.work_->start(self.first_);
            range_loop rest(*self.work_, self.first_ + 1, self.last_);
            rest.run(by, sum);
            ::new (&self.value_) value(std::move(sum));
          },
          self.failure_);
    }

    static constexpr task_type type{&run};

    const Work* work_;
    union {
      value value_;
      std::exception_ptr failure_;
    };
  };

  static loop_piece* detach(const loop_frame& frame, std::size_t first, std::size_t last) {
    auto* const made = new piece(*static_cast<const range_loop&>(frame).work_);
    made->first_ = first;
    made->last_ = last;
    return made;
  }

  void iterate(worker& w, value& sum) {
    if (work_->grain > 1 || last_ - next_ > trial) {
      iterate_in_chunks(w, sum);
      return;
    }
    while (next_ < last_) {
      work_->step(sum, next_++, 1);
      if (w.wanted()) [[unlikely]] {
        w.heed();
      }
    }
  }

  void iterate_in_chunks(worker& w, value& sum) {
    std::size_t chunk = work_->grain;
    const bool found_while_running = chunk == 0;
    if (found_while_running) {
      // One by one at first: each may be long. The clock is read only where there is more to come.
      for (std::size_t i = 0; i < trial && next_ < last_; ++i) {
        work_->step(sum, next_++, 1);
        if (w.wanted()) w.heed();
      }
      chunk = trial;
    }
    while (next_ < last_) {
      const std::size_t first = next_;
      const std::size_t n = chunk < last_ - first ? chunk : last_ - first;
      next_ = first + n;
      const bool timed = found_while_running && next_ < last_;
      const auto began = timed ? clock::now() : clock::time_point{};
      work_->step(sum, first, n);
      if (timed) chunk = fitting(chunk, clock::now() - began);
      if (w.wanted()) w.heed();
    }
  }

  /// How many to run next, after a chunk that took so long.
  static std::size_t fitting(std::size_t chunk, clock::duration took) noexcept {
    if (took < aim) return chunk * 2;
    if (took < 4 * aim) return chunk;
    return chunk / static_cast<std::size_t>(took / aim) + 1;
  }

  /// What was given away first-come: true if it is this loop's own again, to be run next.
  [[gnu::noinline]] bool next_piece(worker& w, value& sum) {
    while (pieces_ != nullptr) {
      const std::unique_ptr<piece> back(static_cast<piece*>(pieces_));
      pieces_ = back->next_;
      if (w.settle(*back)) {
        next_ = back->first_;
        last_ = back->last_;
        return true;
      }
      if (failed(*back)) rethrow(back->failure_);
      const struct end {
        value& of;
        ~end() { of.~value(); }
      } after{back->value_};  // even if appending throws
      work_->append(sum, std::move(back->value_));
    }
    return false;
  }

  [[gnu::cold, gnu::noinline]] void drop_pieces(worker& w) noexcept {
    while (pieces_ != nullptr) {
      const std::unique_ptr<piece> back(static_cast<piece*>(pieces_));
      pieces_ = back->next_;
      if (w.settle(*back)) continue;
      if (failed(*back)) {
        back->failure_.~exception_ptr();
      } else {
        back->value_.~value();
      }
    }
  }

  const Work* work_;
};

}  // namespace evencube::detail
