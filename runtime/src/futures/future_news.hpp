#pragma once

#include "futures/future_links.hpp"

namespace evencube::detail {

/// Of all runtimes: a wait for any of several may be for what another one runs.
extern constinit basic_any_changes<std_policy> any_changes;

/// Whom an end is told, in the library.
struct future_news {
  static void ring(const node& ended) noexcept { ring_waiters(ended); }
  void changed() noexcept { any_changes.note(*this); }
};

}  // namespace evencube::detail
