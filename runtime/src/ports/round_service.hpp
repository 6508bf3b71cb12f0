#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/detail/engine_fwd.hpp>
#include <evencube/detail/worker_counters.hpp>

namespace evencube::detail {

/// How tasks reach idle workers.
enum class strategy_kind { planned, none, random_stealing };

/// Why a task changed its worker.
enum class move_kind {
  /// A planned round sent it.
  round,
  /// A worker without work took it from a worker that is awake.
  pull,
  /// Its queue or mailbox was deserted: the owner slept in a wait, or had no thread.
  rescue
};
inline constexpr std::size_t move_kinds = 3;

/// What the workers know of the strategy, and how they ask for rounds.
class round_service {
 public:
  round_service() = default;
  round_service(const round_service&) = delete;
  round_service& operator=(const round_service&) = delete;
  virtual ~round_service() = default;

  /// Worker `caller` ran dry and requests a round. It leads the round itself, unless rounds happen
  /// only where the program asks for them.
  virtual round_answer request(std::uint32_t caller) = 0;
  /// The load of worker `caller` has crossed a mark. Calls the balancer's thread. Without a thread,
  /// the worker leads a round.
  virtual round_answer call(std::uint32_t caller) = 0;
  /// Called by a worker without work: carries out steps of the round under way, if there is one,
  /// and writes them into `log`. Returns true if it did.
  virtual bool help(event_log* log) noexcept = 0;
  /// Counts tasks that changed their worker.
  virtual void count_move(move_kind reason, std::uint32_t from, std::uint32_t to,
                          std::uint64_t tasks) noexcept = 0;

  [[nodiscard]] strategy_kind way() const noexcept { return way_.load(std::memory_order_relaxed); }
  /// True if the strategy keeps the order of tasks: no worker takes tasks outside of rounds.
  [[nodiscard]] bool keeps_order() const noexcept {
    return keeps_order_.load(std::memory_order_relaxed);
  }
  /// True if only rounds and rescues move tasks: workers do not pull.
  [[nodiscard]] bool only_rounds() const noexcept {
    return only_rounds_.load(std::memory_order_relaxed);
  }
  /// True if a worker above the mark asks for a round even where idle workers lead rounds.
  [[nodiscard]] bool event_driven() const noexcept {
    return event_driven_.load(std::memory_order_relaxed);
  }

  /// A worker calls when it has more quanta than this.
  [[nodiscard]] std::uint64_t high_mark() const noexcept {
    return high_mark_.load(std::memory_order_relaxed);
  }
  /// A worker calls when it has fewer tasks than this; 0: only when it runs dry.
  [[nodiscard]] std::uint64_t low_mark() const noexcept {
    return low_mark_.load(std::memory_order_relaxed);
  }
  /// True if the marks are those of the strategy: workers then compare their loads with them at
  /// every push and before every task.
  [[nodiscard]] bool has_marks() const noexcept {
    return has_marks_.load(std::memory_order_relaxed);
  }

 protected:
  std::atomic<strategy_kind> way_{strategy_kind::none};
  std::atomic<bool> keeps_order_{false};
  std::atomic<bool> only_rounds_{false};
  std::atomic<bool> event_driven_{false};
  std::atomic<bool> has_marks_{false};
  std::atomic<std::uint64_t> high_mark_{256};
  std::atomic<std::uint64_t> low_mark_{0};
};

}  // namespace evencube::detail
