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
  gathering,    ///< a step of one (gathering.hpp)
  ask,          ///< to rank 0: a round would be of use
  round,        ///< down the tree: a round begins
  steal,        ///< from a rank that has nothing to do
  leave         ///< the sender's cluster is being destroyed
};

/// Of what the gatherings of a cluster are: each kind has numbers of its own.
enum class gathered : std::uint8_t {
  loads,  ///< by the ranks' progress, for a round
  calls   ///< by the program: what collective calls say
};

}  // namespace evencube::detail
