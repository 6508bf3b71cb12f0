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

/// A hint that parallel work comes again and again. While an object of this class lives, workers
/// without work stay awake between parallel regions, so the next region does not have to wake them.
/// Use it if the gaps between regions are longer than those that a runtime learns on its own (0.3
/// ms, see `hotness`), or if the program cannot wait until the runtime has learned them.
///
///     evencube::hot_phase phase(rt);
///     for (int step = 0; step < steps; ++step) {
///       prepare(step);                                // serial
///       rt.run([&] { evencube::parallel_for(0, n, body); });
///     }
///
/// A phase keeps a processor busy for each worker without work. But a worker goes to sleep if
/// another thread takes its processor. The hint has no effect if the runtime's `hotness` is
/// `never`, or if there are more workers than processing units. It also has no effect if the
/// control group's quota allows no more processors than there are workers.
///
/// Several phases may exist at the same time, for one or several runtimes. A phase may outlive its
/// runtime. Any thread may begin or end a phase.
class [[nodiscard]] hot_phase {
 public:
  /// The largest allowed value of the constructor's `limit`.
  static constexpr std::chrono::hours longest_limit{1};

  /// Begins a phase, which ends when this object is destroyed, or after `limit` if that is sooner.
  /// Throws std::invalid_argument unless 0 < `limit` <= `longest_limit`, and evencube::error in a
  /// forked child.
  EVENCUBE_EXPORT explicit hot_phase(runtime& runtime,
                                     std::chrono::nanoseconds limit = std::chrono::seconds(1));
  hot_phase(const hot_phase&) = delete;
  hot_phase& operator=(const hot_phase&) = delete;
  /// Ends the phase. Workers that are awake only because of this phase go to sleep within 0.1 ms.
  EVENCUBE_EXPORT ~hot_phase();

 private:
  std::shared_ptr<detail::hot_phases> phases_;
  std::int64_t until_ns_;
};

}  // namespace evencube
