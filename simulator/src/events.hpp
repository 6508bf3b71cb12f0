#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <evencube/simulator/event_queue.hpp>

namespace evencube::simulator {

/// Kinds of events, in the order in which those of one instant happen: events that end something
/// come before events that begin something. The kind is the top byte of an event's key; the rest
/// names its object.
enum class event_kind : std::uint8_t {
  completion,  // of the step in service at a node
  landing,     // a transfer lands
  arrival,     // at a node (poisson) or the next of a trace
  root,        // the next root of a task graph
  round_end,   // a round that held execution is over
  decision,    // an operation has its information and plans
  retry,       // a node may activate again
  tick,        // period and utilisation triggers
  sample,
  warm_up,
  delivery  // a spawned task comes to its home
};

/// The names of events in messages.
inline std::string_view name_of(event_kind kind) noexcept {
  constexpr std::array<std::string_view, 11> names{
      "the completion of a node", "the landing of a transfer", "an arrival at a node",
      "a task from outside",      "the end of a round",        "the plan of a round",
      "the next try of a node",   "a tick of the trigger",     "a sample of the loads",
      "the end of the warm-up",   "the delivery of a task",
  };
  return names[static_cast<std::size_t>(kind)];
}

inline std::uint64_t make_key(event_kind kind, std::uint64_t object) noexcept {
  return (static_cast<std::uint64_t>(kind) << 56) | object;
}
inline event_kind kind_of(const event& e) noexcept { return static_cast<event_kind>(e.key >> 56); }
inline std::uint64_t object_of(const event& e) noexcept {
  return e.key & ((std::uint64_t{1} << 56) - 1);
}

}  // namespace evencube::simulator
