#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <evencube/runtime.hpp>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <evencube/cluster.hpp>
#include <evencube/cluster/transport.hpp>

#include "checked_mutex.hpp"

namespace evencube::detail {

/// The time after which a rank tells others what it would tell them in vain if all is well.
inline constexpr std::chrono::milliseconds first_word{100};

/// Notifies the progress thread of a rank that there is something to do. Not thread-safe.
class progress_bell {
 public:
  void ring(transport& over) noexcept {
    news_ = true;
    if (!resting_) return;
    resting_ = false;
    over.interrupt();
  }
  /// Called when a turn begins: what was said so far is seen by it.
  void heard() noexcept { news_ = false; }
  /// Returns false if the thread may not rest, because something has happened since its turn began.
  [[nodiscard]] bool begin_rest() noexcept {
    resting_ = !news_;
    return resting_;
  }
  void end_rest() noexcept { resting_ = false; }

 private:
  bool news_ = false;
  bool resting_ = false;
};

/// What all parts of a rank share: its options, its runtime, its transport, its two mutexes, and
/// the error that ends it.
struct rank_core {
  /// Throws std::invalid_argument, which names the option, before anything is started.
  rank_core(std::unique_ptr<transport> with, cluster_options chosen);
  rank_core(const rank_core&) = delete;
  rank_core& operator=(const rank_core&) = delete;
  ~rank_core() = default;

  [[nodiscard]] bool steals() const { return options.balancer == "random_stealing"; }
  /// True if ranks without work ask their neighbours (A in cluster/docs/ranks.md).
  [[nodiscard]] bool has_lifelines() const {
    return options.sharing == cluster_sharing::lifelines && options.balancer != "none" && !steals();
  }
  void tell_progress() noexcept EVENCUBE_REQUIRES(shared_data) { bell.ring(*over); }

  const cluster_options options;
  evencube::runtime runtime;
  const std::unique_ptr<transport> over;
  // Known when the transport is open, before any other part does anything.
  unsigned rank = 0;
  unsigned size = 1;
  std::size_t most_bytes = 0;

  turn_mutex turn;
  data_mutex mutex;
  std::condition_variable changed;  // for collective calls, and for the hold
  progress_bell bell EVENCUBE_GUARDED_BY(shared_data);
  cluster_statistics stats EVENCUBE_GUARDED_BY(shared_data);
  std::exception_ptr broken EVENCUBE_GUARDED_BY(shared_data);  // the error that ended the turns
};

}  // namespace evencube::detail
