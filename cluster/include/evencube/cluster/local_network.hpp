#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <evencube/cluster/transport.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Ranks of one process, each a thread's: a cluster without MPI, for tests and for trying a program
/// out. Messages may be made late, so that those of different pairs overtake each other in ways
/// that a real network shows once in a month.
class local_network {
 public:
  struct options {
    /// What delays are drawn from.
    std::uint64_t seed = 0;
    /// A message stays out of sight for up to so many looks of its receiver. 0: none is late.
    unsigned most_delay = 0;
    /// `transport::most_bytes` of every rank.
    std::size_t most_bytes = std::size_t{1} << 30;
  };

  /// Throws std::invalid_argument for no ranks.
  EVENCUBE_EXPORT explicit local_network(unsigned ranks);
  EVENCUBE_EXPORT local_network(unsigned ranks, const options& how);
  local_network(const local_network&) = delete;
  local_network& operator=(const local_network&) = delete;
  EVENCUBE_EXPORT ~local_network();

  /// The transport of a rank, to be taken once. The network must live as long. Throws
  /// std::invalid_argument if there is no such rank.
  [[nodiscard]] EVENCUBE_EXPORT std::unique_ptr<transport> at(unsigned rank);

 private:
  class endpoint;
  struct state;

  const std::unique_ptr<state> state_;
};

}  // namespace evencube
