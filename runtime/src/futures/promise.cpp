// The functions of a promise that need the engine.

#include <evencube/coroutine.hpp>
#include <evencube/error.hpp>
#include <evencube/promise.hpp>
#include <string>

#include "engine/engine.hpp"

namespace evencube::detail {

void count_promise(all_workers& workers) {
  workers.host().check_alive();
  const auto count = [&workers] { static_cast<engine&>(workers.host()).tracker().add(nullptr); };
  // A runtime that is being stopped waits for its workers, and so for what they make.
  if (worker_of(workers) != nullptr) {
    count();
  } else {
    workers.unless_stopping(count);
  }
}

// In a forked child nothing of the runtime is there to be notified.
void end_promise(future_core& ended, bool threw, all_workers& workers) noexcept {
  if (static_cast<engine&>(workers.host()).in_forked_child()) return;
  end_coroutine(ended, threw, workers);
}

void throw_spent_promise(const char* reason) { throw error(std::string("promise: ") + reason); }

std::exception_ptr broken_promise() noexcept {
  return std::make_exception_ptr(error("promise: it was destroyed before it had a value"));
}

}  // namespace evencube::detail
