#include <algorithm>
#include <atomic>
#include <cstdint>

#include <evencube/detail/atomics.hpp>

#include "platform/windows/system.hpp"

namespace evencube::detail {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  WaitOnAddress(&word, &expected, sizeof expected, INFINITE);
}

// The system counts milliseconds, and looks at its clock up to 64 times a second only. A part of a
// millisecond is rounded up: rounded down, short sleeps would become loops.
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::int64_t nanoseconds) noexcept {
  constexpr std::int64_t longest = INFINITE - 1;
  const std::int64_t milliseconds = nanoseconds / 1'000'000 + (nanoseconds % 1'000'000 > 0 ? 1 : 0);
  WaitOnAddress(&word, &expected, sizeof expected,
                static_cast<DWORD>(std::clamp<std::int64_t>(milliseconds, 0, longest)));
}

void futex_wake(std::atomic<std::uint32_t>& word, int how_many) noexcept {
  // More calls than this cost more than the sleepers that are woken in vain.
  constexpr int most_calls = 8;
  // Pairs with the system's own fence between entering a sleeper into its list and the comparison
  // of the word: either the sleeper sees the new value, or the wake finds the sleeper. The system
  // does not document whether a wake begins with a fence of its own.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (how_many > most_calls) {
    WakeByAddressAll(&word);
    return;
  }
  for (int i = 0; i < how_many; ++i) WakeByAddressSingle(&word);
}

void yield_processor() noexcept { SwitchToThread(); }

}  // namespace evencube::detail
