#pragma once

#include <cstdint>

namespace evencube::detail {

/// The first byte of every message between ranks: the kind of its contents.
enum class wire : std::uint8_t {
  tasks,        ///< tasks that have not begun, of a spawn, of a round, or in answer to a thief
  receipt,      ///< asks for `taken` when the tasks before it have been taken
  taken,        ///< of the bytes of tasks for which a receipt was asked
  results,      ///< of tasks, to the rank that spawned them
  failure,      ///< to rank 0: the first exception of a group's tasks on a rank
  termination,  ///< of a group (termination.hpp)
  over,         ///< like termination, with the failure that all ranks must throw
  loads,        ///< a step of a gathering (gathering.hpp) of the loads for a round
  calls,        ///< up or down a gathering (tree_gathering.hpp) of the data of a collective call
  round,        ///< a round has begun, to a rank that would not hear of it by `loads`
  steal,        ///< from a rank that has nothing to do, or soon will: how much it needs tasks
  refusal,      ///< to a thief, from a rank that has nothing to give
  call,         ///< the collective call that the messages around it belong to
  leave,        ///< clusters are being destroyed (departure.hpp)
  failed,       ///< the sender goes on no longer, with the reason as text
  several       ///< several of these (outbox.hpp)
};

}  // namespace evencube::detail
