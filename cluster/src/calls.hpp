#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include <evencube/cluster/detail/bytes.hpp>

#include "call_order.hpp"
#include "checked_mutex.hpp"
#include "mail.hpp"
#include "rank_core.hpp"

namespace evencube::detail {

/// The collective calls of a rank: their order, and which of them cannot end, because some rank
/// takes no part.
class collective_calls {
 public:
  collective_calls(rank_core& core, mail& post) : core_(core), mail_(post) {}

  /// `name` is that of the collective call that this rank begins. Returns its number.
  std::uint64_t begin(std::string name) EVENCUBE_REQUIRES(shared_data);
  /// The number of calls that this rank has begun.
  [[nodiscard]] std::uint64_t begun() const EVENCUBE_REQUIRES(shared_data) {
    return order_.begun();
  }
  /// The number of calls in which it takes part.
  [[nodiscard]] std::uint64_t taken_part() const EVENCUBE_REQUIRES(shared_data);
  /// True if some rank, maybe this one, takes no part in this call, or if this rank no longer
  /// communicates.
  [[nodiscard]] bool cannot_end(std::uint64_t call) const EVENCUBE_REQUIRES(shared_data);
  /// Throws the reason why it cannot end. `what` ends "rank 1 waits ...".
  [[noreturn]] void throw_why(std::uint64_t call, const char* what) EVENCUBE_REQUIRES(shared_data);
  /// This rank, whose runtime is stopped, takes no part in this call or in later ones. Throws.
  [[noreturn]] void give_up(std::uint64_t call, const char* what) EVENCUBE_REQUIRES(shared_data);
  /// This rank takes no part in the call that it begins, because it leaves a group without a wait.
  void leave(std::string name) EVENCUBE_REQUIRES(shared_data);
  /// Throws if this rank takes no part in this call.
  void throw_if_left(std::uint64_t call, const char* what) EVENCUBE_REQUIRES(shared_data) {
    if (call > taken_part_) throw_why(call, what);
  }

  /// Throws, on the thread that has the turn, the error if ranks make different calls, so that all
  /// ranks hear of it.
  void throw_mismatch() const EVENCUBE_REQUIRES(shared_data);
  void handle(unsigned from, byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  /// Says to which call the messages around it belong.
  void post_name(unsigned to, std::uint64_t call) EVENCUBE_REQUIRES(the_turn);

  /// `rank` leaves, and has begun as many calls.
  void rank_leaves(unsigned rank, std::uint64_t calls) EVENCUBE_REQUIRES(shared_data) {
    left_[rank] = calls;
  }
  [[nodiscard]] bool has_left(unsigned rank) const EVENCUBE_REQUIRES(shared_data) {
    return left_.contains(rank);
  }
  [[nodiscard]] bool any_has_left() const EVENCUBE_REQUIRES(shared_data) { return !left_.empty(); }
  /// True, once, if a call cannot end, which others should hear at once.
  [[nodiscard]] bool take_urgency() EVENCUBE_REQUIRES(shared_data);

 private:
  rank_core& core_;
  mail& mail_;
  call_order order_ EVENCUBE_GUARDED_BY(shared_data);
  /// The number of calls before the first one that this rank gave up because its runtime is
  /// stopped, or because it left a group without a wait for it.
  std::uint64_t taken_part_ EVENCUBE_GUARDED_BY(shared_data) =
      std::numeric_limits<std::uint64_t>::max();
  bool left_group_ EVENCUBE_GUARDED_BY(shared_data) = false;
  std::map<unsigned, std::uint64_t> left_
      EVENCUBE_GUARDED_BY(shared_data);  // ranks, and the calls that they had begun
  bool urgent_ EVENCUBE_GUARDED_BY(shared_data) = false;
};

}  // namespace evencube::detail
