#pragma once

#include <cstdint>

namespace evencube::detail {

/// The first byte of every message between ranks: what follows.
enum class wire : std::uint8_t {
  tasks,        ///< tasks that have not begun, of a spawn, a round or in answer to a thief
  results,      ///< of tasks, to the rank that spawned them
  failure,      ///< to rank 0: the first exception of a group's tasks on a rank
  termination,  ///< of a group (termination.hpp)
  over,         ///< the same, with the failure that all ranks are to throw
  loads,        ///< a step of a gathering (gathering.hpp) of what ranks say in a round
  calls,        ///< the same, of what the program says in collective calls
  round,        ///< a round has begun, to a rank that would not hear of it by `loads`
  steal,        ///< from a rank that has nothing to do
  refusal,      ///< to it, from one that has nothing to give
  leave,        ///< the sender's cluster is being destroyed
  several       ///< some of these (outbox.hpp)
};

/// Of what the gatherings of a cluster are: each kind has numbers of its own.
enum class gathered : std::uint8_t {
  loads,  ///< by the ranks' progress, for a round
  calls   ///< by the program: what collective calls say
};

}  // namespace evencube::detail
