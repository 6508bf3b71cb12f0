#pragma once

#include <exception>
#include <thread>

#include <evencube/cluster/detail/bytes.hpp>

#include "balancing.hpp"
#include "calls.hpp"
#include "checked_mutex.hpp"
#include "gatherings.hpp"
#include "leaving.hpp"
#include "mail.hpp"
#include "naps.hpp"
#include "rank_core.hpp"
#include "waits.hpp"
#include "work.hpp"

namespace evencube::detail {

/// The parts of a rank that a turn looks after.
struct parts_of_turns {
  mail& post;
  collective_calls& calls;
  rank_work& work;
  group_waits& waits;
  call_gatherings& gatherings;
  rank_balancing& balancing;
  rank_leaving& leaving;
};

/// The turns of a rank: one thread at a time, the progress thread or a worker between two tasks,
/// handles what has come and sends what is due (T in cluster/docs/ranks.md).
class rank_turns {
 public:
  rank_turns(rank_core& core, const parts_of_turns& of) : core_(core), of_(of) {}
  rank_turns(const rank_turns&) = delete;
  rank_turns& operator=(const rank_turns&) = delete;
  ~rank_turns() = default;

  /// Begins the progress thread, which opens the transport. Throws what that throws.
  void begin();
  /// Waits until the progress thread has closed the transport, or an error has ended it.
  void join() { progress_thread_.join(); }
  /// Called by a worker between two tasks.
  void look_between_tasks();

 private:
  void open() EVENCUBE_REQUIRES(the_turn);
  void progress();
  bool take() EVENCUBE_REQUIRES(the_turn);
  bool handle_messages() EVENCUBE_REQUIRES(the_turn);
  void handle(unsigned from, byte_reader in) EVENCUBE_REQUIRES(the_turn);
  void send() EVENCUBE_REQUIRES(the_turn);
  void end(std::exception_ptr why) noexcept EVENCUBE_REQUIRES(the_turn);
  void tell_failure(const std::exception_ptr& why) noexcept EVENCUBE_REQUIRES(the_turn);

  rank_core& core_;
  const parts_of_turns of_;
  nap_lengths naps_ EVENCUBE_GUARDED_BY(the_turn);
  bool over_ EVENCUBE_GUARDED_BY(the_turn) = false;
  /// Another rank has failed, and tells all ranks.
  bool heard_of_failure_ EVENCUBE_GUARDED_BY(the_turn) = false;
  std::thread progress_thread_;
};

}  // namespace evencube::detail
