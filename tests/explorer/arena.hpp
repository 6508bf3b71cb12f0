#pragma once

#include <cstddef>

namespace evencube::explorer {

/// While one is in scope, `new` takes memory from a fixed piece that is used up from its beginning
/// and `delete` keeps what it gets. So the same steps find the same addresses in every run, freed
/// memory can be looked at, and what an interrupted run leaves behind needs no cleaning up.
class arena_scope {
 public:
  explicit arena_scope(bool on = true) noexcept;
  arena_scope(const arena_scope&) = delete;
  arena_scope& operator=(const arena_scope&) = delete;
  ~arena_scope();

 private:
  bool outer_;
};

/// Begins at the beginning. Everything taken before is gone.
void reset_arena() noexcept;

}  // namespace evencube::explorer
