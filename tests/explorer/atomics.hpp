#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "plain.hpp"
#include "session.hpp"

namespace evencube::explorer {

/// Like std::atomic for values of at most eight bytes. Every operation is a step of the explored
/// schedule.
template <typename T>
class atomic : location {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;

  atomic() noexcept : atomic(T{}) {}
  atomic(T initial) noexcept : location(bits(initial)) {}  // NOLINT(google-explicit-constructor)

  T load(std::memory_order order = std::memory_order_seq_cst,
         site at = {__builtin_FUNCTION(), __builtin_LINE()}) const {
    return value(session::current().load(*this, order, at));
  }
  void store(T next, std::memory_order order = std::memory_order_seq_cst,
             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().store(*this, bits(next), order, at);
  }
  T exchange(T next, std::memory_order order = std::memory_order_seq_cst,
             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return modify(action::exchange, order, at, [&](T) { return next; });
  }
  bool compare_exchange_strong(T& expected, T next, std::memory_order success,
                               std::memory_order failure,
                               site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return compare_exchange(expected, next, success, failure, false, at);
  }
  bool compare_exchange_strong(T& expected, T next,
                               std::memory_order order = std::memory_order_seq_cst,
                               site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return compare_exchange(expected, next, order, of_a_load(order), false, at);
  }
  bool compare_exchange_weak(T& expected, T next, std::memory_order success,
                             std::memory_order failure,
                             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return compare_exchange(expected, next, success, failure, true, at);
  }
  bool compare_exchange_weak(T& expected, T next,
                             std::memory_order order = std::memory_order_seq_cst,
                             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return compare_exchange(expected, next, order, of_a_load(order), true, at);
  }

  /// For a pointer, the distance is a number of elements.
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

  T fetch_add(difference_type amount, std::memory_order order = std::memory_order_seq_cst,
              site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return modify(action::fetch_add, order, at, [&](T old) { return moved(old, amount, false); });
  }
  T fetch_sub(difference_type amount, std::memory_order order = std::memory_order_seq_cst,
              site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return modify(action::fetch_add, order, at, [&](T old) { return moved(old, amount, true); });
  }
  T fetch_or(T set, std::memory_order order = std::memory_order_seq_cst,
             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return modify(action::fetch_or, order, at, [&](T old) { return static_cast<T>(old | set); });
  }
  T fetch_and(T kept, std::memory_order order = std::memory_order_seq_cst,
              site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return modify(action::fetch_and, order, at, [&](T old) { return static_cast<T>(old & kept); });
  }
  T fetch_xor(T turned, std::memory_order order = std::memory_order_seq_cst,
              site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return modify(action::fetch_xor, order, at,
                  [&](T old) { return static_cast<T>(old ^ turned); });
  }

 private:
  friend struct explored;

  static std::uint64_t bits(T from) noexcept {
    std::uint64_t to = 0;
    std::memcpy(&to, &from, sizeof from);
    return to;
  }
  static T value(std::uint64_t from) noexcept {
    T to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  }
  /// Adds or subtracts `by`. Integers wrap around, signed integers too.
  static T moved(T from, difference_type by, bool back) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      return back ? from - by : from + by;
    } else {
      const std::uint64_t change = static_cast<std::uint64_t>(by);
      return static_cast<T>(static_cast<std::uint64_t>(from) + (back ? 0 - change : change));
    }
  }
  /// The order of the load in a failed compare-and-swap, if one order is given for both results.
  static constexpr std::memory_order of_a_load(std::memory_order order) noexcept {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    if (order == std::memory_order_release) return std::memory_order_relaxed;
    return order;
  }

  template <typename Next>
  T modify(action what, std::memory_order order, const site& at, Next next) {
    return value(session::current().modify(
        *this, what, order, at, [&](std::uint64_t old) { return bits(next(value(old))); }));
  }
  bool compare_exchange(T& expected, T next, std::memory_order success, std::memory_order failure,
                        bool weak, const site& at) {
    std::uint64_t old = bits(expected);
    const bool done =
        session::current().compare_exchange(*this, old, bits(next), success, failure, weak, at);
    if (!done) expected = value(old);
    return done;
  }
};

/// Like std::mutex, for std::lock_guard and similar classes.
class mutex : location {
 public:
  mutex() noexcept : location(0) {}

  void lock(site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().lock(*this, at);
  }
  [[nodiscard]] bool try_lock(site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return session::current().try_lock(*this, at);
  }
  void unlock(site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().unlock(*this, at);
  }
};

/// The atomics policy for protocols in tests, in place of the library's `detail::std_atomics`.
struct explored {
  template <typename T>
  using atomic = explorer::atomic<T>;
  template <typename T>
  using plain = explorer::plain<T>;
  using mutex = explorer::mutex;

  static void wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                   site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().wait(word, expected, at);
  }
  /// Sleeps for at most `nanoseconds`. The sleep may end at any time, however long it is, and ends
  /// if no other thread can go on. Returns false if the time has passed.
  static bool wait_for(atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t nanoseconds,
                       site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return session::current().wait_for(word, expected, nanoseconds < 0 ? 0 : nanoseconds, at);
  }
  static void wake(atomic<std::uint32_t>& word, int how_many,
                   site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().wake(word, how_many, at);
  }
  /// For loops that check repeatedly: lets other threads go on.
  static void pause(site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().pause(at);
  }
  static void give_way(site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().pause(at);
  }
  static void linger() {}
  static constexpr bool fetches_ahead = false;
  static constexpr unsigned turn = 2;
  /// Virtual time, which passes only in timed sleeps and pauses.
  static std::int64_t now_ns() { return session::current().now(); }
  static bool checks(std::string_view check) { return session::current().checks(check); }
};

}  // namespace evencube::explorer
