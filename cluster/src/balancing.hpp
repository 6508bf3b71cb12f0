#pragma once

#include <cstdint>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancing.hpp>
#include <evencube/cluster/detail/bytes.hpp>

#include "checked_mutex.hpp"
#include "wire.hpp"

namespace evencube::detail {

/// What a rank says of itself when tasks are to be shared.
struct rank_load {
  load_type quanta = 0;
  std::uint64_t moved = 0;  // tasks that it sent in the round before
  double seconds = 0;       // that its waiting tasks will take, by a guess
  bool hungry = false;      // a worker has nothing to do, or soon will
};

/// What other parts of a rank and its balancing say to each other, with the shared data.
struct balancing_record {
  /// The number of workers of each rank; empty until the first group has compared the ranks.
  std::vector<double> workers_of;
  bool round_wanted = false;  // by a held round
  std::uint32_t rounds_ended = 0;
  balancing_round last_round;
};

/// How the tasks of a rank get to other ranks by themselves: by planned rounds, or by thieves. All
/// members are called with the turn.
class rank_balancing {
 public:
  rank_balancing() = default;
  rank_balancing(const rank_balancing&) = delete;
  rank_balancing& operator=(const rank_balancing&) = delete;
  virtual ~rank_balancing() = default;

  /// Called when the transport is open.
  virtual void open() EVENCUBE_REQUIRES(the_turn) = 0;
  /// Throws if the balancer does not support this many ranks. Called without the turn, when the
  /// number of ranks is known.
  virtual void check_ranks() const {}

  /// What this rank has, and whether it needs more.
  [[nodiscard]] virtual rank_load load() const EVENCUBE_REQUIRES(the_turn, shared_data) = 0;
  /// Begins or continues what is due. Returns true if anything was done.
  virtual bool advance() EVENCUBE_REQUIRES(the_turn) = 0;
  /// Takes a message about balancing. Also called after the tasks of a message of tasks have come,
  /// with what comes before them in it.
  virtual void handle(wire what, unsigned from, byte_reader& in) EVENCUBE_REQUIRES(the_turn) = 0;
  /// The number of rounds that this rank has joined.
  [[nodiscard]] virtual std::uint32_t rounds_begun() const EVENCUBE_REQUIRES(the_turn) = 0;

  [[nodiscard]] balancing_record& record() EVENCUBE_REQUIRES(shared_data) { return record_; }

 protected:
  [[nodiscard]] const balancing_record& record() const EVENCUBE_REQUIRES(shared_data) {
    return record_;
  }

 private:
  balancing_record record_ EVENCUBE_GUARDED_BY(shared_data);
};

}  // namespace evencube::detail
