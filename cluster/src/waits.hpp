#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>
#include <evencube/cluster/detail/call.hpp>

#include "calls.hpp"
#include "checked_mutex.hpp"
#include "group_table.hpp"
#include "mail.hpp"
#include "rank_core.hpp"
#include "termination.hpp"
#include "work.hpp"

namespace evencube::detail {

/// The waits of a rank for its groups, and its part in finding out that a group is over
/// (cluster/docs/termination.md).
class group_waits {
 public:
  group_waits(rank_core& core, mail& post, collective_calls& calls, rank_work& work)
      : core_(core), mail_(post), calls_(calls), work_(work) {}

  [[nodiscard]] std::uint32_t make(std::shared_ptr<result_reducer> reducer);
  void wait(std::uint32_t group, std::span<const result_taker> takers);
  void wait_for_result(const call_future& result);
  /// The end of a group on this rank without a wait.
  void leave(std::uint32_t group);

  /// Sends the counts of all groups for which the rank is passive. Returns true if anything was
  /// sent, or a group is over.
  bool advance() EVENCUBE_REQUIRES(the_turn);
  /// The counts of a rank go with a message to its parent, so that no rank need ask for them.
  void count_with_messages() EVENCUBE_REQUIRES(the_turn);
  /// `over` is true if everything is done.
  void handle(unsigned from, byte_reader& in, bool over) EVENCUBE_REQUIRES(the_turn);

 private:
  using said_of_counts = void (termination::*)(const work_on_its_way&,
                                               std::vector<termination::outgoing>&);

  [[nodiscard]] bool is_passive(const group_state& group) const;
  bool say_what_is_counted(said_of_counts say) EVENCUBE_REQUIRES(the_turn);
  [[nodiscard]] bool is_over(std::uint32_t group);
  void send(std::uint32_t group, const std::vector<termination::outgoing>& what)
      EVENCUBE_REQUIRES(the_turn);
  void end(std::uint32_t group) EVENCUBE_REQUIRES(the_turn);

  rank_core& core_;
  mail& mail_;
  collective_calls& calls_;
  rank_work& work_;
  std::map<std::uint32_t, termination> terminations_ EVENCUBE_GUARDED_BY(the_turn);
};

}  // namespace evencube::detail
