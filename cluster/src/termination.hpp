#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace evencube::detail {

/// What ranks say to find out that all is done.
struct termination_message {
  enum class kind : std::uint8_t {
    probe,   ///< to a child: count
    answer,  ///< to the parent: what a whole branch counted
    over     ///< to a child: all is done
  };
  kind what = kind::probe;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  friend bool operator==(const termination_message&, const termination_message&) = default;
};

/// One rank's part in finding out that no rank has anything to do and nothing is on its way, by
/// Mattern's four counters. Pure: no threads, no clock, no network; see
/// cluster/docs/termination.md, whose names the comments use.
class termination {
 public:
  struct outgoing {
    unsigned to;
    termination_message what;
  };

  termination(unsigned rank, unsigned size);

  /// A message came from its parent or from a child; what is to be sent is appended to `out`.
  void receive(const termination_message& message, std::vector<outgoing>& out);

  /// The rank is passive now, having sent and received so much in all. To be called whenever it
  /// becomes passive, and after every `receive` while it is.
  void passive(std::uint64_t sent, std::uint64_t received, std::vector<outgoing>& out);

  /// Whether all is done, as far as this rank was told.
  [[nodiscard]] bool over() const noexcept { return over_; }

  friend bool operator==(const termination&, const termination&) = default;

 private:
  void begin_wave(std::vector<outgoing>& out);
  void tell_children(termination_message::kind what, std::vector<outgoing>& out) const;
  void end_wave_if_all_answered(std::vector<outgoing>& out);

  unsigned rank_;
  unsigned size_;
  unsigned children_ = 0;
  bool in_wave_ = false;
  bool counted_itself_ = false;
  unsigned missing_ = 0;  // children
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  /// At rank 0: what the wave before found received.
  std::optional<std::uint64_t> received_before_;
  bool over_ = false;
};

}  // namespace evencube::detail
