#pragma once

#include <optional>

#include "asking.hpp"
#include "thief.hpp"

namespace evencube::detail {

/// A rank that has nothing to do asks ranks drawn at random: under "random_stealing", and while a
/// round is late (L in cluster/docs/ranks.md).
class stealing final : public asking {
 public:
  using asking::asking;

  void open() override EVENCUBE_REQUIRES(the_turn) { thief_.emplace(core().rank, core().size); }
  bool advance() override EVENCUBE_REQUIRES(the_turn);
  void handle(wire what, unsigned from, byte_reader& in) override EVENCUBE_REQUIRES(the_turn);

 private:
  std::optional<thief> thief_ EVENCUBE_GUARDED_BY(the_turn);
};

}  // namespace evencube::detail
