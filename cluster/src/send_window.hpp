#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace evencube::detail {

/// The bytes that spawns have sent to each rank and that this rank has not taken yet. The sender
/// asks for a receipt after each quarter of the bytes that may be on their way. Not thread-safe.
class send_window {
 public:
  /// `most` is at least 1.
  explicit send_window(std::uint64_t most) noexcept : most_(most) {}

  [[nodiscard]] bool full(unsigned to) const {
    const auto found = of_.find(to);
    return found != of_.end() && found->second.on_their_way >= most_;
  }
  void put(unsigned to, std::uint64_t bytes) {
    of_[to].on_their_way += bytes;
    of_[to].not_asked_for += bytes;
  }
  /// Returns the bytes for which a receipt is to be asked now, or 0.
  [[nodiscard]] std::uint64_t ask(unsigned to) {
    std::uint64_t& bytes = of_[to].not_asked_for;
    return bytes < std::max<std::uint64_t>(most_ / 4, 1) ? 0 : std::exchange(bytes, 0);
  }
  void taken(unsigned by, std::uint64_t bytes) { of_[by].on_their_way -= bytes; }

 private:
  struct counted {
    std::uint64_t on_their_way = 0;
    std::uint64_t not_asked_for = 0;
  };
  const std::uint64_t most_;
  std::map<unsigned, counted> of_;
};

}  // namespace evencube::detail
