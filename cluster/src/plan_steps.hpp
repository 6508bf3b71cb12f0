#pragma once

#include <cstddef>
#include <cstdint>
#include <evencube/balancers/plan.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace evencube::detail {

/// The transfers of a plan in which one rank takes part, and which of its own may go. Sends go in
/// their order. Each waits for the tasks that come in the phases before its own, because no rank
/// sends in a phase what comes in it. Or, if the transmission overlaps, it waits until there is
/// enough at hand. Pure, as `termination` is.
class plan_steps {
 public:
  struct step {
    unsigned phase;
    unsigned other;
    load_type quanta;
  };

  explicit plan_steps(bool overlaps) noexcept : overlaps_(overlaps) {}

  /// A plan begins, which counts as many quanta here.
  void begin(load_type here) {
    sends_.clear();
    receives_.clear();
    next_send_ = 0;
    at_hand_ = here;
  }
  /// Adds transfers of the plan in the order of their phases.
  void add_send(const step& one) { sends_.push_back(one); }
  void add_receive(const step& one) { receives_.push_back(one); }
  /// A transfer has come as a whole. This may be before the plan of its round is made here.
  void came(std::uint32_t round, unsigned phase, unsigned from) {
    arrived_.emplace(round, phase, from);
  }

  /// The next transfer to send now, in this round, if any.
  [[nodiscard]] std::optional<step> next(std::uint32_t round) {
    std::erase_if(receives_, [&](const step& one) {
      if (arrived_.erase({round, one.phase, one.other}) == 0) return false;
      at_hand_ += one.quanta;
      return true;
    });
    if (next_send_ == sends_.size()) return std::nullopt;
    const step& found = sends_[next_send_];
    // Receives are in the order of their phases.
    const bool all_before = receives_.empty() || receives_.front().phase >= found.phase;
    if (!all_before && !(overlaps_ && at_hand_ >= found.quanta)) return std::nullopt;
    at_hand_ -= found.quanta;
    ++next_send_;
    return found;
  }
  /// True if all transfers of the plan have gone and come.
  [[nodiscard]] bool complete() const noexcept {
    return next_send_ == sends_.size() && receives_.empty();
  }

 private:
  const bool overlaps_;
  std::vector<step> sends_;
  std::size_t next_send_ = 0;
  std::vector<step> receives_;  // that have not come yet
  load_type at_hand_ = 0;       // of what the plan counts here, as far as it has come and not gone
  std::set<std::tuple<std::uint32_t, unsigned, unsigned>> arrived_;  // round, phase, sender
};

}  // namespace evencube::detail
