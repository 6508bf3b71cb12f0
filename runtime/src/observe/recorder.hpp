#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <evencube/detail/task.hpp>
#include <evencube/recording.hpp>

#include "observe/event_log.hpp"
#include "ports/round_service.hpp"

namespace evencube::detail {

/// A migration in `event::aux`: round (or `none`, `rescued`), from, to.
inline std::uint64_t make_move(std::uint32_t round, std::uint32_t from, std::uint32_t to) noexcept {
  return std::uint64_t{round} << 32 | from << 16 | to;
}
/// One that no round planned.
inline std::uint64_t make_move(move_kind why, std::uint32_t from, std::uint32_t to) noexcept {
  return make_move(why == move_kind::rescue ? recording::rescued : recording::none, from, to);
}

/// The recording of one runtime. Each worker appends to a log of its own; whoever leads a round
/// appends to that of the rounds, under the round's lock; threads outside share one with the
/// scheduler's mutex. Tasks are known by their addresses until the end, when `stop` makes numbers
/// of them (docs/recording.md).
class recorder {
 public:
  recorder(std::uint32_t workers, const recording_options& options);
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder();

  [[nodiscard]] event_log& of_worker(std::uint32_t k) noexcept { return logs_[k]; }

  /// A thread that is no worker; one at a time.
  void spawned_outside(slot_word word, std::optional<unsigned> home,
                       const task_label& label) noexcept;

  // Whoever leads the round, under its lock.
  void planned(const balancing_round& made, std::optional<std::uint32_t> leader) noexcept;
  /// Into the log of the worker that carries out the step, if it helps the leader.
  void moved(slot_word word, std::uint32_t from, std::uint32_t to, event_log* helper) noexcept {
    event_log& into = helper != nullptr ? *helper : logs_[logs_.size() - 2];
    into.add(event_kind::moved, task_of(word), make_move(round_, from, to));
  }

  /// The recording ends here.
  void stop() noexcept { ended_ = now_ns(); }
  /// Everything until then. No log may be written meanwhile.
  [[nodiscard]] recording take();

 private:
  event_budget budget_;
  std::int64_t began_;
  std::int64_t ended_ = 0;
  std::vector<event_log> logs_;  // of each worker, of the rounds, of threads outside
  std::uint32_t round_ = 0;
  std::vector<recording::round> rounds_;
};

}  // namespace evencube::detail
