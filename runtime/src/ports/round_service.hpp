#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

/// How work finds idle workers.
enum class strategy_kind { planned, none, random_stealing };

/// What became of a worker's request for a round of balancing.
enum class round_answer {
  moved,
  /// Loads are even, or the balancer thread was told.
  nothing,
  /// A round is under way or was a moment ago.
  too_soon
};

/// Why a task changed its worker.
enum class move_kind {
  /// A planned round sent it.
  round,
  /// A worker without work took it from one that is awake.
  pull,
  /// Its worker slept in a wait, or nobody was there.
  rescue
};
inline constexpr std::size_t move_kinds = 3;

/// What the workers know of the strategy, and ask of whoever plans.
class round_service {
 public:
  round_service() = default;
  round_service(const round_service&) = delete;
  round_service& operator=(const round_service&) = delete;
  virtual ~round_service() = default;

  /// Worker `who` ran dry or crossed the threshold.
  virtual round_answer request(std::uint32_t who) = 0;
  /// By a worker without work: carries out steps of the round under way, if there is one, and
  /// writes them into its log; true if it did.
  virtual bool help(event_log* log) noexcept = 0;
  /// Tasks changed their worker.
  virtual void count_move(move_kind why, std::uint32_t from, std::uint32_t to,
                          std::uint64_t tasks) noexcept = 0;

  [[nodiscard]] strategy_kind way() const noexcept { return way_.load(std::memory_order_relaxed); }
  /// Tasks keep their order: nobody takes tasks outside of rounds.
  [[nodiscard]] bool keeps_order() const noexcept {
    return keeps_order_.load(std::memory_order_relaxed);
  }
  /// What moves is what rounds move, and rescues: workers pull nothing from one another.
  [[nodiscard]] bool only_rounds() const noexcept {
    return only_rounds_.load(std::memory_order_relaxed);
  }
  /// Workers above the threshold are to ask for a round even where the idle ones plan.
  [[nodiscard]] bool event_driven() const noexcept {
    return event_driven_.load(std::memory_order_relaxed);
  }

 protected:
  std::atomic<strategy_kind> way_{strategy_kind::none};
  std::atomic<bool> keeps_order_{false};
  std::atomic<bool> only_rounds_{false};
  std::atomic<bool> event_driven_{false};
};

}  // namespace evencube::detail
