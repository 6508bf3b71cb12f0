#pragma once

#include <optional>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "contributions.hpp"

namespace evencube::detail {

/// One rank's part in telling every rank the contributions of all ranks, as soon as possible. For
/// each dimension of the cube of ranks, partners exchange everything that they know so far. If the
/// cube is incomplete, ranks beyond its largest full subcube first send to their partner over the
/// highest dimension, and hear from it last. Pure, as `termination` is. Each rank of the full
/// subcube sends log2(ranks) messages.
class gathering {
 public:
  struct outgoing {
    unsigned to;
    unsigned step;
    message_bytes known;
  };

  gathering(unsigned rank, unsigned size);

  /// Adds the contribution of this rank.
  void contribute(message_bytes own, std::vector<outgoing>& out);
  /// Takes what a partner sent in a step. It may come before this rank's own contribution.
  void receive(unsigned step, message_bytes known, std::vector<outgoing>& out);

  /// Called after this rank's contribution. Returns the rank beyond the full subcube from which it
  /// must hear before it sends anything itself. All others hear of a gathering by its messages.
  [[nodiscard]] std::optional<unsigned> waits_for() const {
    if (rank_ + core_ >= size_ || step_ > 0) return std::nullopt;
    return rank_ + core_;
  }

  /// True if this rank knows all contributions.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// The contribution of each rank, once the gathering is complete.
  [[nodiscard]] const std::vector<message_bytes>& all() const noexcept { return known_.all(); }

 private:
  void advance(std::vector<outgoing>& out);

  const unsigned rank_;
  const unsigned size_;
  unsigned dimensions_ = 0;  // of the largest full subcube
  unsigned core_ = 1;        // the number of its ranks
  contributions known_;
  std::vector<std::optional<message_bytes>> arrived_;  // by step
  bool contributed_ = false;
  unsigned step_ = 0;  // the next step to take
  bool complete_ = false;
};

}  // namespace evencube::detail
