#pragma once

#include <cstdint>
#include <optional>

#include "balancing.hpp"
#include "checked_mutex.hpp"
#include "mail.hpp"
#include "rank_core.hpp"
#include "thief.hpp"
#include "work.hpp"

namespace evencube::detail {

/// A rank that has nothing to do asks other ranks for half of their tasks: under "random_stealing",
/// and while a round is late (L in cluster/docs/ranks.md).
class stealing final : public rank_balancing {
 public:
  stealing(rank_core& core, mail& post, rank_work& work) : core_(core), mail_(post), work_(work) {}

  void open() override EVENCUBE_REQUIRES(the_turn) { thief_.emplace(core_.rank, core_.size); }
  [[nodiscard]] rank_load load() const override EVENCUBE_REQUIRES(the_turn, shared_data);
  bool advance() override EVENCUBE_REQUIRES(the_turn);
  void handle(wire what, unsigned from, byte_reader& in) override EVENCUBE_REQUIRES(the_turn);
  [[nodiscard]] std::uint32_t rounds_begun() const override EVENCUBE_REQUIRES(the_turn) {
    return 0;
  }

 private:
  rank_core& core_;
  mail& mail_;
  rank_work& work_;
  std::optional<thief> thief_ EVENCUBE_GUARDED_BY(the_turn);
};

}  // namespace evencube::detail
