#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

namespace evencube::detail {

/// One rank's part in finding out that all ranks leave, and when nothing is on its way to it any
/// more, with 2 (ranks - 1) messages over the spanning tree of the cube. Pure, as `termination` is.
/// See V in cluster/docs/ranks.md.
class departure {
 public:
  /// For each rank, a number of messages to it.
  using counts = std::map<std::uint32_t, std::uint64_t>;
  struct message {
    bool down = false;   ///< from the parent
    bool whole = false;  ///< all ranks of the branch leave; downwards: all ranks
    /// Ranks that leave, and the number of collective calls that they have begun.
    std::map<std::uint32_t, std::uint64_t> leavers = {};
    /// Of a whole branch: the messages that its ranks have sent. Downwards: that all have sent to
    /// its ranks.
    counts sent = {};

    void write(byte_writer& out) const;
    static message read(byte_reader& in);
  };
  struct outgoing {
    unsigned to;
    message what;
  };

  departure(unsigned rank, unsigned size);

  /// This rank leaves. It has begun `calls` collective calls.
  void leave(std::uint64_t calls);
  [[nodiscard]] bool leaves() const noexcept { return leaves_; }
  /// Takes a message of the parent or of a child.
  void receive(const message& from, std::vector<outgoing>& out);
  /// Says that the whole branch leaves, if it does. `sent` is what this rank has sent; it sends
  /// nothing more once `is_silent`.
  void advance(const counts& sent, std::vector<outgoing>& out);
  [[nodiscard]] bool is_silent() const noexcept { return silent_; }

  /// True if a part of the branch leaves, and others do not know.
  [[nodiscard]] bool has_news() const noexcept { return !silent_ && !news_.empty(); }
  /// Tells the others which ranks leave, before all do.
  void tell_news(std::vector<outgoing>& out);

  /// True if all ranks leave, and nothing is on its way to this one, which has received `received`
  /// messages.
  [[nodiscard]] bool is_over(std::uint64_t received) const noexcept {
    return to_receive_ == received;
  }

 private:
  void send_down(const message& what, std::vector<outgoing>& out) const;

  const unsigned rank_;
  const unsigned size_;
  unsigned waits_for_ = 0;  // children whose branch does not leave as a whole yet
  counts sent_;             // by the branches of children
  std::map<std::uint32_t, std::uint64_t> news_;
  bool leaves_ = false;
  bool silent_ = false;
  std::optional<std::uint64_t> to_receive_;
};

}  // namespace evencube::detail
