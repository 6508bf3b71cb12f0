#pragma once

#include <cstdint>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "checked_mutex.hpp"
#include "departure.hpp"
#include "outbox.hpp"
#include "rank_core.hpp"

namespace evencube::detail {

/// The messages of a rank: what a turn posts leaves together when the turn ends (M in
/// cluster/docs/ranks.md). Counts them for the departure (V).
class mail {
 public:
  explicit mail(rank_core& core) : core_(core) {}

  void post(unsigned to, byte_writer& message) EVENCUBE_REQUIRES(the_turn);
  /// For a message of the departure, which counts the others.
  void post_uncounted(unsigned to, byte_writer& message) EVENCUBE_REQUIRES(the_turn) {
    outbox_.put(to, message.take());
  }
  [[nodiscard]] std::vector<unsigned> ranks() const EVENCUBE_REQUIRES(the_turn) {
    return outbox_.ranks();
  }
  [[nodiscard]] bool goes_to(unsigned rank) const EVENCUBE_REQUIRES(the_turn) {
    return outbox_.goes_to(rank);
  }
  void send_all() EVENCUBE_REQUIRES(the_turn);

  void count_received() EVENCUBE_REQUIRES(the_turn) { ++received_; }
  [[nodiscard]] const departure::counts& sent() const EVENCUBE_REQUIRES(the_turn) { return sent_; }
  [[nodiscard]] std::uint64_t received() const EVENCUBE_REQUIRES(the_turn) { return received_; }
  /// From now on nothing is posted except messages of the departure.
  void fall_silent() EVENCUBE_REQUIRES(the_turn) { silent_ = true; }

 private:
  rank_core& core_;
  outbox outbox_ EVENCUBE_GUARDED_BY(the_turn);
  departure::counts sent_ EVENCUBE_GUARDED_BY(the_turn);  // messages to each rank
  std::uint64_t received_ EVENCUBE_GUARDED_BY(the_turn) = 0;
  bool silent_ EVENCUBE_GUARDED_BY(the_turn) = false;
};

}  // namespace evencube::detail
