#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The shift of Mehrotra, Ranka, Wang 1992 keeps the order of items along a line of processors and
/// gives every processor its share. All functions in this header use positions on the line;
/// locality_line() maps positions to nodes.

/// Returns a Hamiltonian path of the network: line[p] is the node at position p. The path is the
/// Gray code on hypercubes (an analogous path on incomplete hypercubes), a snake on meshes and
/// tori, and a recursive path on Fibonacci cubes. On linear arrays, rings and complete networks it
/// follows the ids. Throws std::invalid_argument for networks without a known path.
[[nodiscard]] EVENCUBE_EXPORT std::vector<node_id> locality_line(const topology& graph);
/// Returns true if locality_line() has a path for the network.
[[nodiscard]] EVENCUBE_EXPORT bool has_locality_line(const topology& graph);

/// Returns n + 1 values: the global index of the first item of each position after the shift, and
/// the total T. With equal capacities, or without capacities, the blocks have T div n items or one
/// more, the larger blocks first. Otherwise start_i = floor(T * (c_0 + .. + c_(i-1)) / C), where C
/// is the sum of all c; each block is within 1 of its exact share.
[[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> block_starts(
    load_type total, std::size_t positions, std::span<const double> capacities = {});

/// Consecutive items that go from one position to another.
struct item_packet {
  std::size_t from;
  std::size_t to;
  /// The global index of the first item, and its index among the items that `from` held.
  load_type first;
  load_type local;
  load_type count;

  friend bool operator==(const item_packet&, const item_packet&) = default;
};

/// Returns all packets with from != to, in ascending order of `first`. O(n).
[[nodiscard]] EVENCUBE_EXPORT std::vector<item_packet> shift_packets(
    std::span<const load_type> loads, std::span<const double> capacities = {});

/// The largest distances that items travel to the left and to the right (Max_L, Max_R); 0 if none
/// do.
struct shift_distance {
  std::size_t left = 0;
  std::size_t right = 0;
};
/// Returns the largest distances by which the shift of these loads moves items.
[[nodiscard]] EVENCUBE_EXPORT shift_distance max_shift(std::span<const load_type> loads,
                                                       std::span<const double> capacities = {});

/// The cost of a movement: `startups` in units of tau, and `items` in units of phi * S. Each is the
/// sum, over all steps, of the largest value at any processor. `transfers` is the total number of
/// hops of all packets.
struct movement_cost {
  load_type startups = 0;
  load_type items = 0;
  load_type transfers = 0;
};

/// The three ways to move the packets (Sections 2.1 to 2.3); all give the same blocks.
enum class movement_approach {
  /// All packets in one direction travel as one message from neighbour to neighbour, and each
  /// processor takes out its own packet. This takes Max_L steps, then Max_R steps.
  concatenated,
  /// Packets are sent directly. A vector sum tells each processor how many packets it will receive.
  counted,
  /// Distance by distance, largest first, each processor's packet for that distance travels hop by
  /// hop.
  by_distance
};

/// The steps that move the packets of a shift, and their cost.
struct movement {
  /// The steps in order. Packets refer to positions.
  std::vector<std::vector<item_packet>> steps;
  movement_cost cost;
};

/// Returns the steps in which the approach `how` moves the packets of the shift, and their cost.
[[nodiscard]] EVENCUBE_EXPORT movement move_packets(movement_approach how,
                                                    std::span<const load_type> loads,
                                                    std::span<const double> capacities = {});

}  // namespace evencube
