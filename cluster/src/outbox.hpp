#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "wire.hpp"

namespace evencube::detail {

/// Nothing is added to a message that has this many bytes.
inline constexpr std::size_t usual_message = std::size_t{1} << 20;

/// The messages that must be sent by the end of a turn of the progress thread. Messages to the same
/// rank go in one message of the transport, as long as that stays short, in the order in which they
/// were put here. Not thread-safe.
class outbox {
 public:
  void put(unsigned to, message_bytes message) { to_[to].push_back(std::move(message)); }

  /// The ranks to which messages go.
  [[nodiscard]] std::vector<unsigned> ranks() const {
    std::vector<unsigned> found;
    for (const auto& [to, messages] : to_) found.push_back(to);
    return found;
  }

  [[nodiscard]] bool goes_to(unsigned rank) const { return to_.contains(rank); }

  /// Calls send(to, bytes, first), where `first` is the kind of the first part. No message is made
  /// longer than `most_bytes` by joining.
  template <typename Send>
  void send_all(std::size_t most_bytes, Send&& send) {
    const std::size_t most = std::min(usual_message, most_bytes);
    for (auto& [to, messages] : to_) {
      for (std::size_t i = 0; i < messages.size();) {
        std::size_t end = i;
        for (std::size_t size = 1; end < messages.size(); ++end) {
          size += sizeof(std::uint64_t) + messages[end].size();
          if (end > i && size > most) break;
        }
        const auto first = static_cast<wire>(messages[i].front());
        if (end == i + 1) {
          send(to, std::move(messages[i]), first);
        } else {
          byte_writer out;
          out.put(wire::several);
          for (std::size_t k = i; k < end; ++k) out.block(messages[k].data(), messages[k].size());
          send(to, out.take(), first);
        }
        i = end;
      }
    }
    to_.clear();
  }

 private:
  std::map<unsigned, std::vector<message_bytes>> to_;
};

/// Calls visit(part) for each part of a message of the transport, in their order.
template <typename Visit>
void for_each_part(std::span<const std::byte> message, Visit&& visit) {
  if (message.empty() || static_cast<wire>(message.front()) != wire::several) {
    visit(message);
    return;
  }
  byte_reader in(message.subspan(1));
  while (!in.rest().empty()) visit(in.block());
}

}  // namespace evencube::detail
