#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace evencube::explorer {

/// What a step does to memory.
enum class action : std::uint8_t {
  load,
  store,
  exchange,
  compare_exchange,
  fetch_add,
  fetch_or,
  fetch_and,
  fetch_xor,
  wait,
  wake,
  pause,
  lock,
  unlock,
  read,
  write
};

/// Where a step stands in the source: filled in by default arguments at the call.
struct site {
  const char* function;
  int line;
};

/// A way to break a protocol without touching its code.
enum class harm : std::uint8_t {
  weaken,    ///< the operation is relaxed, whatever order it names
  tear,      ///< a read-modify-write becomes a load and a later store
  omit,      ///< a store, a read-modify-write or a wake-up has no effect
  postpone,  ///< the effect comes after everything else the thread does before it ends or sleeps
  hoist,     ///< the loads after the operation are made before it
  ignore     ///< a check that the protocol asks its policy about (`heeds`) is left out
};

/// The harm is done to the operations of this kind in the function of this name. For `ignore`,
/// `where` is the name of the check and `what` means nothing.
struct mutation {
  harm how;
  std::string_view where;
  action what = action::load;
};

}  // namespace evencube::explorer
