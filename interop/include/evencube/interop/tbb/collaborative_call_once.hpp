#pragma once

#include <atomic>
#include <type_traits>
#include <utility>

#include <evencube/blocking.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>

namespace evencube::tbb {

class collaborative_once_flag;
namespace detail {
template <typename F>
void call_once_by(collaborative_once_flag& flag, const F& f);
}  // namespace detail

/// Records whether a function has been called by `collaborative_call_once`.
class collaborative_once_flag {
 public:
  collaborative_once_flag() noexcept = default;
  collaborative_once_flag(const collaborative_once_flag&) = delete;
  collaborative_once_flag& operator=(const collaborative_once_flag&) = delete;

 private:
  template <typename F>
  friend void detail::call_once_by(collaborative_once_flag& flag, const F& f);

  enum state { not_called, being_called, called };
  std::atomic<int> state_{not_called};
};

namespace detail {

template <typename F>
void call_once_by(collaborative_once_flag& flag, const F& f) {
  using once = collaborative_once_flag;
  for (;;) {
    int seen = flag.state_.load(std::memory_order_acquire);  // pairs with the release below
    if (seen == once::called) return;
    if (seen == once::being_called) {
      const blocking_scope asleep;  // the call may need what this worker has queued
      flag.state_.wait(seen, std::memory_order_acquire);
      continue;
    }
    if (!flag.state_.compare_exchange_strong(seen, once::being_called, std::memory_order_acquire)) {
      continue;
    }
    struct ending {
      once& of;
      int now;
      ~ending() {
        of.state_.store(now, std::memory_order_release);  // pairs with the loads above
        of.state_.notify_all();
      }
    } end{flag, once::not_called};
    detail::inside([&] {
      detail::call of(nullptr);
      of.within(f);
    });
    end.now = once::called;
    return;
  }
}

}  // namespace detail

/// Calls f(arguments...) only once per flag. Other threads that use the flag sleep until the call
/// has ended; awake workers can run the tasks that the call forks. If the call throws, the next
/// thread calls its own f.
template <typename F, typename... Arguments>
void collaborative_call_once(collaborative_once_flag& flag, F&& f, Arguments&&... arguments) {
  detail::call_once_by(flag, [&] { std::forward<F>(f)(std::forward<Arguments>(arguments)...); });
}

}  // namespace evencube::tbb
