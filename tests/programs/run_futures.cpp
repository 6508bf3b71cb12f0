#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

long execution::run_queued(const step& s, bool* ended) {
  struct at_end {
    execution& all;
    bool* ended;
    ~at_end() {
      if (ended != nullptr) *ended = true;
      // Release: pairs with the acquire of `run_threads`.
      all.queued_.fetch_sub(1, std::memory_order_release);
      progress().fetch_add(1, std::memory_order_relaxed);
    }
  } const after{*this, ended};
  const long value = run_task(s.inner[0], s.of, nullptr);
  return mistaken(mistake::other_result) ? value + 1 : value;
}

void execution::make_future(const step& s) {
  shared_future& f = futures_[at(s.target)];
  f.body = &s.inner[0];
  queued_.fetch_add(1, std::memory_order_relaxed);
  f.asked.emplace(async_sized(s, [this, &s, &f] { return run_queued(s, &f.ended); }));
  f.state.store(shared_future::made, std::memory_order_release);  // pairs with `is_made`
  ++handed_over_;
}

void execution::wait_future(shared_future& f) {
  if (!is_made(f)) return;
  f.asked->wait();
  check_future(f);
}

void execution::poll_future(shared_future& f) {
  if (!is_made(f)) return;
  while (!f.asked->ready()) std::this_thread::yield();
  check_future(f);
}

void execution::check_future(const shared_future& f) {
  if (!f.ended) fail("a future was ready before " + name(*f.body) + " had ended");
}

void execution::get_future(shared_future& f) {
  int expected = shared_future::made;
  if (!f.state.compare_exchange_strong(expected, shared_future::taken)) return;
  future<long> mine = std::move(*f.asked);
  call(*f.body, [&] { return mine.get(); });
  check_future(f);
}

void execution::get_futures() {
  for (shared_future& f : futures_) get_future(f);
}

void execution::local_async(const step& s, const local_group* groups) {
  queued_.fetch_add(1, std::memory_order_relaxed);
  if (s.variant == dropped) {
    static_cast<void>(async_sized(s, [this, &s] { return run_queued(s, nullptr); }));
    run_block(s.inner[1], groups);
    return;
  }
  bool ended = false;
  future<long> f = async_sized(s, [this, &s, &ended] { return run_queued(s, &ended); });
  run_block(s.inner[1], groups);
  if (s.variant == by_wait_and_get) f.wait();
  call(s.inner[0], [&] { return f.get(); });
  if (!ended) fail("get() returned before " + name(s.inner[0]) + " had ended");
}

}  // namespace evencube::programs
