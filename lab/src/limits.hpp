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

}  // namespace evencube::lab
