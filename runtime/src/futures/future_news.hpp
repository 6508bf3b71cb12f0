#pragma once

#include "futures/future_links.hpp"

namespace evencube::detail {

/// One object for all runtimes: a wait for any of several futures may need a future that another
/// runtime runs.
extern constinit basic_any_changes<std_policy> any_changes;

/// Reports the ends of futures to their waiters, for the library's policy.
struct future_news {
  static void ring(const node& ended) noexcept { ring_waiters(ended); }
  void changed() noexcept { any_changes.note(*this); }
};

}  // namespace evencube::detail
