#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "calls.hpp"
#include "checked_mutex.hpp"
#include "mail.hpp"
#include "rank_core.hpp"
#include "tree_gathering.hpp"

namespace evencube::detail {

/// The calls by which all ranks learn what each of them gives (G and K in cluster/docs/ranks.md).
class call_gatherings {
 public:
  /// `count` gives the contribution of a rank to a call that has none of its own. It is called with
  /// the turn.
  call_gatherings(rank_core& core, mail& post, collective_calls& calls,
                  std::function<message_bytes()> count)
      : core_(core), mail_(post), calls_(calls), count_(std::move(count)) {}

  /// Returns what every rank gives to the same call. For ranks that give nothing, this is what
  /// `count` says (H). Throws evencube::error if a rank has left instead. `name` says which call it
  /// is.
  [[nodiscard]] std::vector<message_bytes> gather(std::optional<message_bytes> own,
                                                  std::string name);

  /// Contributes what a thread of the program gives. Returns true if there was anything.
  bool flush() EVENCUBE_REQUIRES(the_turn);
  void handle(byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  /// Tells late children the name of the call that this rank is in. Returns true if there are any.
  bool name_late_call() EVENCUBE_REQUIRES(the_turn);

 private:
  using clock = std::chrono::steady_clock;
  /// What this rank gives to a call; nothing: what is counted.
  struct request {
    std::uint32_t number;
    std::optional<message_bytes> own;
  };
  struct answer {
    std::vector<message_bytes> all;
    std::uint64_t bytes;  // of a message with all of that
  };
  /// The gathering that this rank is in.
  struct own_part {
    std::uint32_t number;
    clock::time_point began;
    bool named = false;
  };

  [[nodiscard]] tree_gathering& at(std::uint32_t number) EVENCUBE_REQUIRES(the_turn);
  void send(std::uint32_t number, const std::vector<tree_gathering::outgoing>& what)
      EVENCUBE_REQUIRES(the_turn);

  rank_core& core_;
  mail& mail_;
  collective_calls& calls_;
  const std::function<message_bytes()> count_;
  std::uint32_t next_ EVENCUBE_GUARDED_BY(shared_data) = 0;
  std::map<std::uint32_t, std::uint64_t> calls_of_
      EVENCUBE_GUARDED_BY(shared_data);  // of the gatherings that this rank is in
  std::optional<request> asked_ EVENCUBE_GUARDED_BY(shared_data);
  std::optional<answer> answer_ EVENCUBE_GUARDED_BY(shared_data);
  std::map<std::uint32_t, tree_gathering> under_way_ EVENCUBE_GUARDED_BY(the_turn);
  std::optional<own_part> own_ EVENCUBE_GUARDED_BY(the_turn);
};

}  // namespace evencube::detail
