#include <chrono>
#include <exception>
#include <memory>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

execution::queued_end::~queued_end() {
  ended = true;
  // Release: pairs with the acquire of `run_threads`.
  all.queued_.fetch_sub(1, std::memory_order_release);
  progress().fetch_add(1, std::memory_order_relaxed);
}

long execution::run_queued(const step& s, bool& ended, limited* in) {
  const queued_end after{*this, ended};
  const long value =
      run_task(s.inner[0], s.of, {.stops = &ends_[at(s.of)].asked, .where = s.of, .inside = in});
  return mistaken(mistake::other_result) ? value + 1 : value;
}

// ------------------------------------------------------------------------------------- making

execution::awaited execution::make(const step& s) {
  if (const block* const needs = needs_of(s); needs != nullptr) {
    begun_[at(needs->id)].fetch_add(1, std::memory_order_relaxed);  // in that it is looked at
  }
  switch (s.from) {
    case nothing:
      return make_from_none(s);
    case a_value:
      return {make_ready_future(on(s.of), run_block(s.inner[0], {})), s.inner.data(),
              std::make_shared<bool>(true)};
    case a_promise:
      return make_promise(s);
    case one:
      return continue_with(make(needs_of(s)->steps[0]), s);
    default:
      return make_from_several(s);
  }
}

execution::awaited execution::make_promise(const step& s) {
  evencube::promise<long> made(on(s.of));
  std::atomic<int>& unset = ends_[at(s.of)].unset;
  unset.fetch_add(1, std::memory_order_relaxed);
  future<long> asked = made.get_future();
  const auto set = [this, &s, &unset](evencube::promise<long> unset_yet) {
    // Before the value is set, because stop() may return as soon as it is.
    unset.fetch_sub(1, std::memory_order_relaxed);
    // Set after the handler has let go of it, because the thread sanitizer does not see how the C++
    // library counts who holds an exception.
    std::exception_ptr failure;
    try {
      const long value = run_block(s.inner[0], {});
      unset_yet.set_value(mistaken(mistake::other_result) ? value + 1 : value);
    } catch (const thrown&) {
      failure = std::current_exception();
    }
    if (failure) unset_yet.set_exception(std::move(failure));
  };
  if (s.amount == set_at_once) {
    set(std::move(made));
  } else {
    const std::lock_guard lock(mutex_);
    keepers_.emplace_back([&s, set, own = std::move(made)]() mutable {
      std::this_thread::sleep_for(std::chrono::microseconds{s.amount});
      set(std::move(own));
    });
  }
  return {std::move(asked), s.inner.data(), std::make_shared<bool>(true)};
}

execution::awaited execution::make_from_none(const step& s) {
  auto ended = std::make_shared<bool>(false);
  queued_.fetch_add(1, std::memory_order_relaxed);
  if (s.size == a_coroutine) {
    future<long> started = start(on(s.of), run_queued_coroutine(s, ended), options_of(s));
    if (!s.inner[0].throws && mistaken(mistake::end_early)) {
      started = make_ready_future(on(s.of), value_of(s.inner[0]));
    }
    return {std::move(started), s.inner.data(), std::move(ended)};
  }
  // The task's, which ends before its runtime does.
  const std::shared_ptr<limited> in = s.places != 0 ? arena_of(s) : nullptr;
  future<long> f = start_sized(
      s, [this, &s, ended, in] { return run_queued(s, *ended, in.get()); },
      [&](auto task) {
        return in != nullptr ? in->limit.async(std::move(task), options_of(s))
                             : on(s.of).async(std::move(task), options_of(s));
      });
  return {std::move(f), s.inner.data(), std::move(ended)};
}

execution::awaited execution::continue_with(awaited before, const step& s) {
  if (before.outcome->throws && mistaken(mistake::call_in_spite)) {
    before.asked = make_ready_future(on(s.of), value_of(*before.outcome));
  }
  if (mistaken(mistake::begin_early)) return begin_early(before, s);
  const bool called = !before.outcome->throws;
  const auto ended = called ? std::make_shared<bool>(false) : before.ended;
  if (called) queued_.fetch_add(1, std::memory_order_relaxed);
  const auto task = [this, &s, ended, called, outcome = before.outcome,
                     needed = before.ended](long value) {
    if (!called) {
      fail(name(s.inner[0]) + " was called, though what it continues threw");
      return 0L;
    }
    if (!*needed) fail(name(s.inner[0]) + " began before what it continues had ended");
    if (value != value_of(*outcome)) fail(name(s.inner[0]) + " was given another value");
    return run_queued(s, *ended);
  };
  future<long> f = start_sized(
      s, task, [&](auto loaded) { return before.asked.then(std::move(loaded), options_of(s)); });
  if (before.asked.valid()) fail("a future is valid though it was continued");
  return {std::move(f), called ? s.inner.data() : before.outcome, ended};
}

// The mistake: another one is continued, which is ready, and whose task has never run.
execution::awaited execution::begin_early(const awaited& before, const step& s) {
  before.asked.wait();
  return continue_with({make_ready_future(on(s.of), value_of(*before.outcome)), before.outcome,
                        std::make_shared<bool>(false)},
                       s);
}

void execution::check_needed(awaited& needed) {
  call(*needed.outcome, [&] { return needed.asked.get(); });
  check_ended(needed);
}

execution::awaited execution::make_from_several(const step& s) {
  const auto needed = std::make_shared<std::vector<awaited>>();
  std::vector<future<long>> futures;
  for (const step& n : needs_of(s)->steps) {
    needed->push_back(make(n));
    futures.push_back(std::move(needed->back().asked));
  }
  auto ended = std::make_shared<bool>(false);
  queued_.fetch_add(1, std::memory_order_relaxed);
  const auto all_ended = [this, &s, needed, ended](auto all) {
    if constexpr (requires { all.size(); }) {
      if (all.size() != needed->size()) fail("when_all lost a future");
      for (std::size_t i = 0; i < all.size(); ++i) (*needed)[i].asked = std::move(all[i]);
    } else {
      (*needed)[0].asked = std::move(std::get<0>(all));
      (*needed)[1].asked = std::move(std::get<1>(all));
    }
    for (awaited& a : *needed) {
      if (!a.asked.ready()) fail("when_all gave a future that is not ready");
      check_needed(a);
    }
    return run_queued(s, *ended);
  };
  const std::stop_source others;
  const auto one_ended = [this, &s, needed, ended, others](auto any) {
    if (any.futures.size() != needed->size() || any.index >= needed->size()) {
      fail("when_any names a future that is not there");
      return 0L;
    }
    for (std::size_t i = 0; i < needed->size(); ++i) {
      (*needed)[i].asked = std::move(any.futures[i]);
    }
    if (s.amount == stops_others) {
      for (const awaited& a : *needed) {
        if (!a.asked.ready()) fail("a race of futures was over before all had ended");
      }
      if (!others.stop_requested()) fail("the first of several futures did not stop the others");
    }
    awaited& first = (*needed)[any.index];
    if (!first.asked.ready()) fail("when_any names a future that is not ready");
    check_needed(first);
    for (awaited& a : *needed) {
      if (s.amount == 1) a.asked = {};
      if (a.asked.valid()) check_needed(a);
    }
    return run_queued(s, *ended);
  };
  const auto start = [&](auto several, const auto& task) {
    return start_sized(s, task, [&](auto loaded) {
      return std::move(several).then(std::move(loaded), options_of(s));
    });
  };
  const bool pair = futures.size() == 2;
  const bool any = s.from == any_of_several;
  future<long> f = any && s.amount == stops_others
                       ? start(when_any(others, std::move(futures)), one_ended)
                   : any  ? start(when_any(std::move(futures)), one_ended)
                   : pair ? start(when_all(std::move(futures[0]), std::move(futures[1])), all_ended)
                          : start(when_all(std::move(futures)), all_ended);
  return {std::move(f), s.inner.data(), std::move(ended)};
}

// ------------------------------------------------------------------------------ shared futures

void execution::publish(shared_future& f, awaited a) {
  f.made_of = std::move(a);
  f.state.store(shared_future::made, std::memory_order_release);  // pairs with `is_made`
  ++handed_over_;
}

void execution::continue_shared(const step& s) {
  shared_future& before = futures_[at(s.target)];
  int expected = shared_future::made;
  if (!before.state.compare_exchange_strong(expected, shared_future::taken)) return;
  publish(futures_[at(s.result)], continue_with(std::move(before.made_of), s));
}

void execution::wait_limited(const future<long>& f, int limit, bool until) {
  if (mistaken(mistake::skip_wait)) return;
  using std::chrono::microseconds;
  // A limit that passes may do so again and again: then without one.
  for (int times = 0; times < 4; ++times) {
    const future_status status =
        until ? f.wait_until(clock::now() + microseconds{limit}) : f.wait_for(microseconds{limit});
    if (status == future_status::ready) return;
    if (limit > 1'000'000'000) fail("a wait ended long before its limit, and without a result");
  }
  f.wait();
}

void execution::await(const shared_future& f) {
  if (!is_made(f)) return;
  if (!mistaken(mistake::skip_wait)) f.made_of.asked.wait();
  check_ended(f.made_of);
}

void execution::wait_future(const step& s) {
  const shared_future& f = futures_[at(s.target)];
  if (s.variant == without_limit) return await(f);
  if (!is_made(f)) return;
  wait_limited(f.made_of.asked, s.limit, s.variant == until_a_time);
  check_ended(f.made_of);
}

void execution::poll_future(shared_future& f) {
  if (!is_made(f)) return;
  while (!f.made_of.asked.ready()) std::this_thread::yield();
  check_ended(f.made_of);
}

void execution::check_ended(const awaited& a) {
  if (!*a.ended && !any_stops())
    fail("a future was ready before " + name(*a.outcome) + " had ended");
}

void execution::get_future(shared_future& f) {
  int expected = shared_future::made;
  if (!f.state.compare_exchange_strong(expected, shared_future::taken)) return;
  awaited mine = std::move(f.made_of);
  call(*mine.outcome, [&] { return mine.asked.get(); });
  if (mine.asked.valid()) fail("a future is valid though its value was taken");
  check_ended(mine);
}

void execution::get_futures() {
  for (shared_future& f : futures_) get_future(f);
}

// ------------------------------------------------------------------------------- local futures

void execution::local_async(const step& s, const surroundings& around) {
  awaited mine = make(s);
  if (!mine.asked.valid()) fail("a future is not valid though it was just made");
  if (s.variant == dropped) mine.asked = {};
  run_block(s.inner[1], around);
  if (s.variant == dropped) return;
  if (s.variant == by_wait_for || s.variant == by_wait_until) {
    wait_limited(mine.asked, s.limit, s.variant == by_wait_until);
    check_ended(mine);
  }
  if (s.variant == by_wait_and_get) {
    if (!mistaken(mistake::skip_wait)) mine.asked.wait();
    check_ended(mine);
  }
  call(*mine.outcome, [&] { return mine.asked.get(); });
  if (mine.asked.valid()) fail("a future is valid though its value was taken");
  check_ended(mine);
}

}  // namespace evencube::programs
