#pragma once

#include <cstddef>
#include <cstdint>

// What the lab takes. A page in a browser has to answer within seconds, whatever is typed or pasted
// into it.
namespace evencube::lab {

inline constexpr std::size_t most_request_bytes = std::size_t{1} << 20;
inline constexpr std::uint64_t most_nodes = 4096;
inline constexpr std::uint64_t most_links = 65'536;
inline constexpr std::int64_t largest_load = 1'000'000'000;
inline constexpr std::int64_t most_repetitions = 4096;  ///< of iterations, rounds and sweeps
inline constexpr std::size_t most_transfers = 500'000;
/// The nodes and links that the search for the pipelined cost may look at.
inline constexpr std::size_t most_pipelined_work = 10'000'000;
/// The transfers of a plan or of a schedule that is drawn as a chart of links.
inline constexpr std::size_t most_charted_transfers = 20'000;

// What a request of the Time view may ask for.
inline constexpr std::int64_t most_events = 100'000'000;  ///< of a simulation
inline constexpr std::int64_t most_events_at_once = 4'000'000;
inline constexpr std::int64_t most_samples = 2000;
inline constexpr std::size_t most_sampled_loads = 300'000;
inline constexpr std::uint32_t most_waiting_tasks = 1U << 22;
inline constexpr double longest_time = 1e12;  ///< of a horizon, a mean or a latency
inline constexpr std::int64_t most_runs = 20;

// What is taken of a recording. The page unpacks a packed file before the bridge reads it, and
// stops at the same size as the readers of packed recordings: `most_unfolding` times the file and 1
// MiB.
inline constexpr std::size_t most_packed_bytes = std::size_t{64} << 20;
inline constexpr std::size_t most_recording_bytes = std::size_t{256} << 20;
inline constexpr std::size_t most_unfolding = 64;
inline constexpr std::size_t longest_recorded_text = 160;
/// The quanta on all workers together. Up to this number, scripts count exactly.
inline constexpr std::int64_t most_recorded_quanta = std::int64_t{1} << 53;
inline constexpr std::size_t most_recorded_phases = 65'536;  ///< of a round
inline constexpr std::int64_t most_rounds_at_once = 64;
/// The loads and transfers that one answer about several rounds may look at.
inline constexpr std::size_t most_recorded_work = 4'000'000;
inline constexpr std::size_t most_charted_rounds = 2000;

}  // namespace evencube::lab
