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

/// A migration in `event::aux`: the round (or `none`, `rescued`), the source and the target.
inline std::uint64_t make_move(std::uint32_t round, std::uint32_t from, std::uint32_t to) noexcept {
  return std::uint64_t{round} << 32 | from << 16 | to;
}
/// A migration that no round planned.
inline std::uint64_t make_move(move_kind reason, std::uint32_t from, std::uint32_t to) noexcept {
  return make_move(reason == move_kind::rescue ? recording::rescued : recording::none, from, to);
}

/// The recording of one runtime. Each worker appends to a log of its own. The leader of a round
/// appends to the log of rounds, under the lock of rounds. Threads outside share one log, under a
/// mutex of the engine. Tasks are known by their addresses until the end, when `take` turns these
/// into numbers (runtime/src/observe/README.md).
class recorder {
 public:
  recorder(std::uint32_t workers, const recording_options& options);
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder();

  [[nodiscard]] event_log& of_worker(std::uint32_t k) noexcept { return logs_[k]; }

  /// Records a spawn by a thread that is not a worker; one thread at a time.
  void spawned_outside(slot_word word, std::optional<unsigned> home,
                       const task_label& label) noexcept;

  /// Records a plan. For the leader of the round, under the lock of rounds.
  void planned(const balancing_round& made, std::optional<std::uint32_t> leader) noexcept;
  /// Records a move, in the log of the worker that carries out the step if that helps the leader.
  void moved(slot_word word, std::uint32_t from, std::uint32_t to, event_log* helper) noexcept {
    event_log& log = helper != nullptr ? *helper : logs_[logs_.size() - 2];
    log.add(event_kind::moved, task_of(word), make_move(round_, from, to));
  }

  /// Ends the recording at the present time.
  void stop() noexcept { ended_ = now_ns(); }
  /// Everything recorded until `stop`. No log may be written meanwhile.
  [[nodiscard]] recording take();

 private:
  event_budget budget_;
  std::int64_t began_;
  std::int64_t ended_ = 0;
  std::vector<event_log> logs_;  // one for each worker, one for the rounds, one for threads outside
  std::uint32_t round_ = 0;
  std::vector<recording::round> rounds_;
};

}  // namespace evencube::detail
