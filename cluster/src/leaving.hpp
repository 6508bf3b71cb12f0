#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "calls.hpp"
#include "checked_mutex.hpp"
#include "departure.hpp"
#include "mail.hpp"
#include "rank_core.hpp"
#include "work.hpp"

namespace evencube::detail {

/// The end of a rank: it closes its connection when all ranks leave and nothing is on its way to it
/// any more (V in cluster/docs/ranks.md).
class rank_leaving {
 public:
  rank_leaving(rank_core& core, mail& post, collective_calls& calls, rank_work& work)
      : core_(core), mail_(post), calls_(calls), work_(work) {}

  /// Called when the transport is open.
  void open() EVENCUBE_REQUIRES(the_turn) { departure_.emplace(core_.rank, core_.size); }
  /// Returns true if this rank can close its connection. It leaves when its work is closed.
  [[nodiscard]] bool advance() EVENCUBE_REQUIRES(the_turn);
  void handle(byte_reader& in) EVENCUBE_REQUIRES(the_turn);

 private:
  using clock = std::chrono::steady_clock;

  void send(const std::vector<departure::outgoing>& what) EVENCUBE_REQUIRES(the_turn);

  rank_core& core_;
  mail& mail_;
  collective_calls& calls_;
  rank_work& work_;
  std::optional<departure> departure_ EVENCUBE_GUARDED_BY(the_turn);
  std::optional<clock::time_point> news_since_ EVENCUBE_GUARDED_BY(the_turn);
  clock::duration news_wait_ EVENCUBE_GUARDED_BY(the_turn) = first_word;
};

}  // namespace evencube::detail
