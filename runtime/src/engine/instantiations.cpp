// Instantiates the templates of the runtime for the policy of the library. The explorer of the
// tests instantiates them for its own policy.

#include <evencube/error.hpp>

#include "arenas/arena-inl.hpp"
#include "engine/engine.hpp"
#include "engine/worker-inl.hpp"
#include "engine/workers-inl.hpp"
#include "life/blocking-inl.hpp"
#include "search/searching-inl.hpp"
#include "wait/group-inl.hpp"
#include "wait/waiting-inl.hpp"

namespace evencube::detail {

constinit thread_local worker* current_worker = nullptr;

template class basic_worker<std_policy>;
template class basic_group<std_policy>;
template class basic_workers<std_policy>;

basic_waiting_room<std_policy>& waiting_room() noexcept {
  // Never destroyed, because threads may wait until the very end of the process.
  alignas(basic_waiting_room<std_policy>) static std::byte
      memory[sizeof(basic_waiting_room<std_policy>)];
  static auto* const room = ::new (static_cast<void*>(memory)) basic_waiting_room<std_policy>;
  return *room;
}

// Made before there are threads, for forked children.
[[maybe_unused]] static const auto& waiting_room_at_start = waiting_room();

void ring_waiters(const node& ended) noexcept {
  auto& room = waiting_room();
  const std::lock_guard lock(room);
  room.ring(&ended);
}

void first_failure::rethrow_kept() {
  std::uint32_t expected = kept;
  // Acquire: pairs with the release in `keep`. If several threads come, one of them gets the
  // failure.
  if (!state_.compare_exchange_strong(expected, taking, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
    return;
  }
  const std::exception_ptr mine = std::move(kept_);
  kept_.~exception_ptr();
  // Release: a thread that keeps the next failure comes after this.
  state_.store(0, std::memory_order_release);
  std::rethrow_exception(mine);
}

void* block_pool::refill(std::size_t size_class) {
  shelf& back = shelves_[size_class];
  if (back.taken < crate::room && back.blocks[back.taken] != nullptr) {
    return back.blocks[back.taken++];
  }
  if (back.crates == nullptr) back.crates = returned_[size_class].take();
  if (crate* const opened = back.crates) {
    back.crates = opened->next;
    back.blocks = opened->others;
    back.taken = 0;
    for (void* const other : back.blocks) fetch_to_write(other);
    fetch_to_write(back.crates);
    return opened;
  }
  const std::size_t lines = std::size_t{1} << size_class;
  if (static_cast<std::size_t>(bump_end_ - bump_) < lines) {
    constexpr std::size_t n = chunk_bytes / sizeof(line);
    chunks_.push_back(std::unique_ptr<line[]>(new line[n]));
    bump_ = chunks_.back().get();
    bump_end_ = bump_ + n;
  }
  void* const cut = bump_;
  bump_ += lines;
  return cut;
}

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace evencube::detail
