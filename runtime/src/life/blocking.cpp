#include <evencube/blocking.hpp>

#include <cassert>
#include <evencube/this_task.hpp>
#include <utility>

#include "engine/engine.hpp"
#include "life/thread_roles.hpp"

namespace evencube {

namespace detail {

worker* worker_that_blocks(const all_workers& workers) noexcept {
  for (const blocking_scope* s = roles_here.scopes; s != nullptr; s = s->outer_) {
    if (&s->was_->workers() == &workers) return s->was_;
  }
  return nullptr;
}

bool is_inside(const all_workers& workers) noexcept {
  return worker_of(workers) != nullptr || worker_that_blocks(workers) != nullptr;
}

worker* worker_even_if_blocking() noexcept {
  const blocking_scope* const within = roles_here.scopes;
  return current_worker != nullptr || within == nullptr ? current_worker : within->was_;
}

bool engine::blocks_here() const noexcept {
  return !roles_here.waits_for_room || worker_that_blocks(workers_) != nullptr;
}

bool stop_requested_while_blocking() noexcept {
  if (roles_here.scopes == nullptr) return false;
  const worker& was = *roles_here.scopes->was_;
  return stop_requested(was.running(), &was.workers());
}

}  // namespace detail

// In a forked child, no thread would release locks that others held in the parent, and no spare
// worker exists to which the place could be lent. So a scope that begins or ends there leaves the
// engine as it is.
blocking_scope::blocking_scope() noexcept : was_(detail::current_worker) {
  if (was_ == nullptr) return;
  outer_ = std::exchange(detail::roles_here.scopes, this);
  detail::all_workers& workers = was_->workers();
  if (!static_cast<detail::engine&>(workers.host()).in_forked_child()) {
    was_busy_ = workers.begin_blocking(*was_);
  }
  detail::current_worker = nullptr;
}

blocking_scope::~blocking_scope() {
  if (was_ == nullptr) return;
  assert(detail::roles_here.scopes == this &&
         "a blocking_scope ends on the thread that made it, inner ones first: none lives across a "
         "co_await");
  detail::all_workers& workers = was_->workers();
  if (!static_cast<detail::engine&>(workers.host()).in_forked_child()) {
    workers.end_blocking(*was_, was_busy_);
  }
  detail::current_worker = was_;
  detail::roles_here.scopes = outer_;
}

}  // namespace evencube
