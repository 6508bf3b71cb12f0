#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/cluster/transport.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// A network of ranks in one process, each on its own thread: a cluster without MPI, for tests and
/// for trying out a program. Messages can be delayed, so messages between different pairs of ranks
/// overtake each other more often than on a real network.
class local_network {
 public:
  /// The delays and the limit of a network's messages.
  struct options {
    /// The seed of the delays.
    std::uint64_t seed = 0;
    /// The maximum number of polls before a receiver sees a message; 0 means no delays.
    unsigned most_delay = 0;
    /// The value of `transport::most_bytes` on every rank.
    std::size_t most_bytes = std::size_t{1} << 30;
    /// For each process a number of its node, of a made-up cluster of several nodes; empty for one
    /// node. As over MPI, ranks are then numbered node by node.
    std::vector<unsigned> node_of = {};
  };

  /// Makes a network of `ranks` ranks. Throws std::invalid_argument for 0 ranks.
  EVENCUBE_EXPORT explicit local_network(unsigned ranks);
  /// Makes a network of `ranks` ranks with the delays, the limit and the nodes in `how`. Throws
  /// std::invalid_argument for 0 ranks, or if `how.node_of` has a number for some processes only.
  EVENCUBE_EXPORT local_network(unsigned ranks, const options& how);
  local_network(const local_network&) = delete;
  local_network& operator=(const local_network&) = delete;
  EVENCUBE_EXPORT ~local_network();

  /// Returns the transport of a process, whose rank has the same number unless there are several
  /// nodes; call this once per process. The network must outlive the transport. Throws
  /// std::invalid_argument if there is no such process.
  [[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<transport> at(unsigned process);

 private:
  class endpoint;
  struct state;

  const std::unique_ptr<state> state_;
};

}  // namespace evencube
