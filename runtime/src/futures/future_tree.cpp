// Instantiates the links between futures for the library's policy.

#include "futures/future_tree.hpp"

#include "engine/engine.hpp"
#include "futures/future_news.hpp"

namespace evencube::detail {

template class basic_future_core<std_policy>;

constinit basic_any_changes<std_policy> any_changes;

void end_future(future_core& ended, bool threw, worker& caller) noexcept {
  group_core& tracker = static_cast<engine&>(caller.workers().host()).tracker();
  future_news news;
  end_task(ended, threw, caller, tracker, news);
  tracker.finish(nullptr);
}

}  // namespace evencube::detail
