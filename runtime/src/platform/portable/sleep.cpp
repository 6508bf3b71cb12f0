#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include <evencube/detail/atomics.hpp>

// std::atomic::wait has no limit of time, so sleepers are kept in lists of our own.
namespace evencube::detail {
namespace {

/// A thread that sleeps on a word. It is on the stack of that thread.
struct word_sleeper {
  explicit word_sleeper(const void* slept_on) : word(slept_on) {}

  const void* const word;
  bool woken = false;
  word_sleeper* next = nullptr;
  std::condition_variable bell{};
};

/// The threads that sleep on any of some words, the longest sleeper first. The mutex guards the
/// list, and whether its sleepers are woken.
struct sleeping_list {
  std::mutex mutex;
  word_sleeper* first = nullptr;

  void append(word_sleeper& one) noexcept {
    word_sleeper** end = &first;
    while (*end != nullptr) end = &(*end)->next;
    *end = &one;
  }
  void remove(const word_sleeper& one) noexcept {
    word_sleeper** at = &first;
    while (*at != &one) at = &(*at)->next;
    *at = one.next;
  }
};

constexpr std::size_t lists = 256;

/// The lists are never destroyed: threads may sleep while static objects are destroyed.
union all_lists {
  constexpr all_lists() : of_words() {}
  all_lists(const all_lists&) = delete;
  all_lists& operator=(const all_lists&) = delete;
  ~all_lists() {}

  std::array<sleeping_list, lists> of_words;
};
constinit all_lists sleeping;

sleeping_list& list_of(const void* word) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(word);
  return sleeping.of_words[(address >> 3 ^ address >> 12) % lists];
}

/// Sleeps by `wait(sleeper, lock)` if the word has the expected value. A thread that wakes changes
/// the word before it locks the list. So either it finds the sleeper in the list, or the sleeper
/// finds the word changed.
template <typename Wait>
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, Wait&& wait) noexcept {
  sleeping_list& here = list_of(&word);
  std::unique_lock lock(here.mutex);
  if (word.load(std::memory_order_acquire) != expected) return;
  word_sleeper self(&word);
  here.append(self);
  wait(self, lock);
  if (!self.woken) here.remove(self);
}

/// A longer sleep ends after this time; no sleep of the runtime relies on its length. Clocks can
/// count so far.
constexpr std::int64_t longest_ns = std::int64_t{1} << 60;

}  // namespace

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  sleep_on(word, expected, [](word_sleeper& self, std::unique_lock<std::mutex>& lock) {
    self.bell.wait(lock, [&] { return self.woken; });
  });
}

void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::int64_t nanoseconds) noexcept {
  const auto limit = std::chrono::steady_clock::now() +
                     std::chrono::nanoseconds{std::min(nanoseconds, longest_ns)};
  sleep_on(word, expected, [&](word_sleeper& self, std::unique_lock<std::mutex>& lock) {
    self.bell.wait_until(lock, limit, [&] { return self.woken; });
  });
}

// The word itself may be gone: only its address counts.
void futex_wake(std::atomic<std::uint32_t>& word, int how_many) noexcept {
  sleeping_list& here = list_of(&word);
  const std::lock_guard lock(here.mutex);
  for (word_sleeper** at = &here.first; *at != nullptr && how_many > 0;) {
    word_sleeper& one = **at;
    if (one.word != &word) {
      at = &one.next;
      continue;
    }
    *at = one.next;
    one.woken = true;
    // Under the lock: without it the sleeper could be gone.
    one.bell.notify_one();
    --how_many;
  }
}

void yield_processor() noexcept { std::this_thread::yield(); }

}  // namespace evencube::detail
