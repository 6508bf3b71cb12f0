#include <evencube/this_task.hpp>

#include "engine/engine.hpp"

namespace evencube::this_task {

evencube::runtime* runtime() noexcept {
  detail::worker* const here = detail::current_worker;
  if (here == nullptr) return nullptr;
  return &static_cast<detail::engine&>(here->workers().host()).interface();
}

unsigned workers() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? here->workers().size() : 0;
}

}  // namespace evencube::this_task
