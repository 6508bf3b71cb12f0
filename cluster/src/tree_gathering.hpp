#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "contributions.hpp"

namespace evencube::detail {

/// One rank's part in telling every rank the contributions of all ranks, with few messages: up the
/// spanning tree of the cube (rank_tree.hpp) and down again, 2 (ranks - 1) in all. Pure, as
/// `termination` is.
class tree_gathering {
 public:
  struct outgoing {
    unsigned to;
    bool down;
    message_bytes known;
  };

  /// `most` is the largest number of bytes that `known` may have. A message that would be larger
  /// goes without the contributions, with their lengths alone, so all ranks know that it was too
  /// long.
  tree_gathering(unsigned rank, unsigned size,
                 std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : rank_(rank), size_(size), known_(size, most) {}

  /// Adds the contribution of this rank.
  void contribute(message_bytes own, std::vector<outgoing>& out);
  /// Takes what a child sent, maybe before this rank's own contribution, or what the parent sent.
  void receive(bool down, byte_reader known, std::vector<outgoing>& out);

  /// The children from which nothing has come.
  [[nodiscard]] std::vector<unsigned> waits_for() const;
  /// True if this rank knows all contributions.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// The bytes of a message with all contributions; equal on all ranks, once the gathering is
  /// complete.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return known_.bytes(); }
  /// The contribution of each rank, once the gathering is complete, and if it was not too long.
  [[nodiscard]] const std::vector<message_bytes>& all() const noexcept { return known_.all(); }

 private:
  void send_up(std::vector<outgoing>& out);
  void send_down(std::vector<outgoing>& out);

  const unsigned rank_;
  const unsigned size_;
  contributions known_;
  bool sent_up_ = false;
  bool complete_ = false;
};

}  // namespace evencube::detail
