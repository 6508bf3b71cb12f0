#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <evencube/detail/compiler.hpp>

namespace evencube {

class runtime;

namespace detail {
class hot_phases;
}  // namespace detail

/// A hint that parallel work comes again and again: while an object of this class lives, workers
/// without work stay awake between parallel regions instead of sleeping, so that the next region
/// does not have to wake them. For a part of a program whose gaps are longer than what a runtime
/// learns by itself (0.3 ms, see `hotness`), or that cannot wait until it has learned.
///
///     evencube::hot_phase phase(rt);
///     for (int step = 0; step < steps; ++step) {
///       prepare(step);                                // serial
///       rt.run([&] { evencube::parallel_for(0, n, body); });
///     }
///
/// Costs a processor for each worker that has no work. A worker whose processor another thread
/// takes sleeps all the same. The hint has no effect in a runtime whose `hotness` is `never`, one
/// that has more workers than processing units, and one that has at least as many workers as its
/// control group's quota allows processors.
///
/// Several may live at once, for one runtime or several. May outlive its runtime. Any thread.
class [[nodiscard]] hot_phase {
 public:
  /// The longest limit that is allowed.
  static constexpr std::chrono::hours longest_limit{1};

  /// Begins the phase, which ends with this object but no later than `limit` from now. Throws
  /// std::invalid_argument if `limit` is not above 0 and at most `longest_limit`, and
  /// evencube::error in a forked child.
  EVENCUBE_EXPORT explicit hot_phase(runtime& runtime,
                                     std::chrono::nanoseconds limit = std::chrono::seconds(1));
  hot_phase(const hot_phase&) = delete;
  hot_phase& operator=(const hot_phase&) = delete;
  /// Ends the phase. Workers that are awake for it alone sleep within 0.1 ms.
  EVENCUBE_EXPORT ~hot_phase();

 private:
  std::shared_ptr<detail::hot_phases> phases_;
  std::int64_t until_ns_;
};

}  // namespace evencube
