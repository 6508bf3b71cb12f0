#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

namespace evencube::detail {

/// What a rank knows of the contributions of all ranks to one gathering.
class contributions {
 public:
  /// `most` is the largest number of bytes that `written` may give. What would be larger is written
  /// without the contributions, with their lengths alone.
  explicit contributions(unsigned size,
                         std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

  void add(unsigned rank, message_bytes own);
  /// Adds what another rank has written.
  void read(byte_reader in);
  [[nodiscard]] message_bytes written() const;

  [[nodiscard]] bool has(unsigned rank) const { return has_[rank]; }
  /// The bytes of what is known, if it is written with the contributions.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  [[nodiscard]] const std::vector<message_bytes>& all() const noexcept { return all_; }

 private:
  std::uint64_t most_;
  std::vector<message_bytes> all_;
  std::vector<std::uint64_t> lengths_;
  std::vector<bool> has_;
};

}  // namespace evencube::detail
