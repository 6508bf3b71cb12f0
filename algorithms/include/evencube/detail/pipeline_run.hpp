#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <evencube/detail/pipeline_stages.hpp>
#include <evencube/task_group.hpp>

namespace evencube::detail {

/// One run of a pipeline. A token carries one value at a time from the first stage to the last, and
/// then fetches the next value. If a token may not go on, its task ends, and another task continues
/// with the token later.
///
/// The values, and the functions that are called with them, belong to the line, which has a place
/// for a value of each token before each stage:
/// bool fetch(std::size_t token);                     // the next value; false: there are no more
/// void call(std::size_t stage, std::size_t token);   // with the value before that stage
/// bool cancelled() const noexcept;                   // true: nothing more is called
template <typename Line>
class pipeline_run {
 public:
  /// `input` is serial or parallel. A serial input numbers the values in the order of the calls of
  /// `fetch`, a parallel input in the order of the returns.
  pipeline_run(task_group& group, Line& line, std::size_t tokens, stage_kind input,
               std::span<const stage_kind> stages)
      : group_(group),
        line_(line),
        parallel_input_(input == stage_kind::parallel),
        numbers_(tokens) {
    free_.reserve(tokens);
    for (std::size_t i = tokens; i > 0; --i) free_.push_back(i - 1);
    for (const stage_kind kind : stages) {
      gates_.push_back(
          kind == stage_kind::parallel
              ? nullptr
              : std::make_unique<stage_gate>(tokens, kind == stage_kind::serial_in_order));
    }
  }

  void begin() { spawn_input(begin_input()); }

 private:
  template <typename F>
  void guarded(F&& f) {
    try {
      f();
    } catch (...) {
      ended_.store(true, std::memory_order_relaxed);
      throw;
    }
  }
  [[nodiscard]] bool ended() const noexcept {
    return ended_.load(std::memory_order_relaxed) || group_.stop_requested() || line_.cancelled();
  }

  /// Returns a token that must fetch a value, if there is such a token and it may fetch now. The
  /// caller holds the lock.
  std::size_t next_to_fetch() noexcept {
    if (fetching_ || exhausted_ || free_.empty()) return stage_gate::absent;
    fetching_ = !parallel_input_;
    const std::size_t index = free_.back();
    free_.pop_back();
    return index;
  }
  std::size_t begin_input() noexcept {
    const std::lock_guard lock(mutex_);
    return next_to_fetch();
  }
  void spawn_input(std::size_t index) {
    if (index == stage_gate::absent) return;
    group_.spawn([this, index] { guarded([&] { go_round(index); }); });
  }

  /// Fetches values and carries each to the end, as long as the token may go on.
  void go_round(std::size_t index) {
    for (;;) {
      if (ended()) return;
      if (parallel_input_) spawn_input(begin_input());  // another task fetches meanwhile
      const bool fetched = line_.fetch(index);
      std::size_t next = stage_gate::absent;
      {
        const std::lock_guard lock(mutex_);
        fetching_ = false;
        if (!fetched) {
          exhausted_ = true;
          return;
        }
        numbers_[index] = number_++;
        if (!parallel_input_) next = next_to_fetch();
      }
      spawn_input(next);  // another task fetches the next value while this one is carried
      if (!carry(0, index, false)) return;
      index = come_home(index);
      if (index == stage_gate::absent) return;
    }
  }
  std::size_t come_home(std::size_t index) noexcept {
    const std::lock_guard lock(mutex_);
    free_.push_back(index);
    return next_to_fetch();
  }

  /// Carries the value from `stage` on. Returns true if it came to the end. `inside` is true if the
  /// gate has let the token in.
  bool carry(std::size_t stage, std::size_t index, bool inside) {
    for (; stage < gates_.size(); ++stage, inside = false) {
      if (ended()) return false;
      stage_gate* const gate = gates_[stage].get();
      if (gate != nullptr && !inside && !gate->enter(index, numbers_[index])) return false;
      line_.call(stage, index);
      if (gate == nullptr) continue;
      if (const std::size_t following = gate->leave(); following != stage_gate::absent) {
        group_.spawn([this, stage, following] {
          guarded([&] {
            if (!carry(stage, following, true)) return;
            const std::size_t next = come_home(following);
            if (next != stage_gate::absent) go_round(next);
          });
        });
      }
    }
    return true;
  }

  task_group& group_;
  Line& line_;
  const bool parallel_input_;
  std::vector<std::uint64_t> numbers_;              // of the value of each token
  std::vector<std::unique_ptr<stage_gate>> gates_;  // null for a parallel stage
  std::atomic<bool> ended_{false};

  std::mutex mutex_;  // guards the members below
  std::vector<std::size_t> free_;
  bool fetching_ = false;
  bool exhausted_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace evencube::detail
