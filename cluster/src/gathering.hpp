#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

namespace evencube::detail {

/// One rank's part in telling every rank what each of them has to say: one exchange between
/// partners per dimension of the cube of ranks, each of all that they know so far. Where the cube
/// is incomplete, ranks beyond its largest full subcube tell their partner over the highest
/// dimension first, and hear from it last. Pure, as `termination` is. log2(ranks) messages of each
/// rank of the full subcube.
class gathering {
 public:
  struct outgoing {
    unsigned to;
    unsigned step;
    message_bytes known;
  };

  /// `most`: so many bytes may `known` have. What would have more goes without what ranks say, with
  /// the lengths alone; so all know that it was too long.
  gathering(unsigned rank, unsigned size,
            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

  /// What this rank says.
  void contribute(message_bytes own, std::vector<outgoing>& out);
  /// What a partner sent in a step; it may come before this rank has said anything.
  void receive(unsigned step, message_bytes known, std::vector<outgoing>& out);

  /// After this rank's part: the rank beyond the full subcube that it has to hear from before it
  /// says anything itself. All others hear of a gathering by its messages.
  [[nodiscard]] std::optional<unsigned> waits_for() const {
    if (rank_ + core_ >= size_ || step_ > 0) return std::nullopt;
    return rank_ + core_;
  }

  /// Whether it knows all.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// Of a message of all that they said; the same on all ranks, once it is complete.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  /// What each rank said; once it is complete, and if it was not too long.
  [[nodiscard]] const std::vector<message_bytes>& all() const noexcept { return all_; }

 private:
  void advance(std::vector<outgoing>& out);
  bool take(unsigned step);
  [[nodiscard]] message_bytes known() const;

  const unsigned rank_;
  const unsigned size_;
  const std::uint64_t most_;
  unsigned dimensions_ = 0;  // of the largest full subcube
  unsigned core_ = 1;        // its ranks
  std::vector<message_bytes> all_;
  std::vector<std::uint64_t> lengths_;
  std::vector<bool> has_;
  std::vector<std::optional<message_bytes>> arrived_;  // by step
  bool contributed_ = false;
  unsigned step_ = 0;  // the next to be taken
  bool complete_ = false;
};

}  // namespace evencube::detail
