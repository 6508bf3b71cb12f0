#pragma once

#include <chrono>
#include <optional>

#include "asking.hpp"
#include "lifelines.hpp"
#include "spawning.hpp"

namespace evencube::detail {

/// A rank that has nothing to do asks its neighbours in the cube, which give at once or as soon as
/// they can (A in cluster/docs/ranks.md).
class neighbour_sharing final : public asking {
 public:
  using asking::asking;

  void open() override EVENCUBE_REQUIRES(the_turn) { lines_.emplace(core().rank, core().size); }
  bool advance() override EVENCUBE_REQUIRES(the_turn);
  void handle(wire what, unsigned from, byte_reader& in) override EVENCUBE_REQUIRES(the_turn);

 private:
  /// Workers of the rank that are about to take its last tasks have so long for it, because they
  /// may be busy with something else.
  static constexpr std::chrono::milliseconds own_time{1};

  bool give_what_is_owed() EVENCUBE_REQUIRES(the_turn);
  bool give(unsigned to, need how) EVENCUBE_REQUIRES(the_turn);

  std::optional<lifelines> lines_ EVENCUBE_GUARDED_BY(the_turn);
  std::optional<lifelines::clock::time_point> needed_since_ EVENCUBE_GUARDED_BY(the_turn);
  spawning spawning_ EVENCUBE_GUARDED_BY(the_turn);
  bool spawns_ EVENCUBE_GUARDED_BY(the_turn) = false;  // the program, so nothing is given
};

}  // namespace evencube::detail
