#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

namespace {

evencube::task<long> to_and_fro(runtime& one, runtime& other, int times) {
  long stops = 0;
  for (int i = 0; i < times; ++i) {
    co_await one.schedule();
    ++stops;
    co_await other.schedule();
    ++stops;
  }
  co_return stops;
}

}  // namespace

// A call of `run` by a task of the same runtime is a plain call.
void execution::check_here(int of) {
  if (any_stops()) return;  // perhaps it found nobody there
  const auto me = std::this_thread::get_id();
  try {
    if (on(of).run([] { return std::this_thread::get_id(); }) != me) {
      fail("a coroutine is not where it should be");
    }
  } catch (const std::exception&) {
    fail("a coroutine is in a runtime that must not wait for the one where it should be");
  }
}

evencube::task<long> execution::run_coroutine(const block& b, surroundings around) {
  check_here(around.where);
  gather(around.where);
  co_await run_steps(b, around);
  if (b.throws && !mistaken(mistake::lose_exception)) throw thrown{b.id};
  co_return value_of(b);
}

evencube::task<> execution::run_steps(const block& b, surroundings around) {
  begun_[at(b.id)].fetch_add(1, std::memory_order_relaxed);
  progress().fetch_add(1, std::memory_order_relaxed);
  for (const step& s : b.steps) {
    bool lost = false;
    try {
      switch (s.what) {
        case action::await_future: {
          shared_future& f = futures_[at(s.target)];
          int expected = shared_future::made;
          if (!f.state.compare_exchange_strong(expected, shared_future::taken)) break;
          co_await await_taken(std::move(f.made_of), s.of, around);
          break;
        }
        case action::await_made:
          co_await await_taken(make(s), s.of, around);
          break;
        case action::await_all:
          if (s.variant == as_race) {
            co_await await_first(s, around);
          } else {
            co_await await_all(s, around);
          }
          break;
        case action::visit:
          co_await visit(s, around);
          break;
        default:
          run_step(s, around);
      }
    } catch (const error& e) {
      if (!is_refusal(e)) throw;
      lost = true;
    }
    if (!lost) continue;
    try {
      co_await on(around.where).schedule();
    } catch (const error& e) {
      if (!is_refusal(e)) throw;
      // The stops around it may not reach what it calls there.
      around.stops = &unknown_stop_;
      around.elsewhere = true;
    }
  }
}

evencube::task<long> execution::run_queued_coroutine(const step& s, std::shared_ptr<bool> ended) {
  const queued_end after{*this, *ended};
  const long value =
      co_await run_coroutine(s.inner[0], {.stops = &ends_[at(s.of)].asked, .where = s.of});
  co_return mistaken(mistake::other_result) ? value + 1 : value;
}

evencube::task<> execution::run_spawned_coroutine(ticket& t, const step& s, surroundings around,
                                                  [[maybe_unused]] witness seen) {
  ++t.runs;
  try {
    co_await run_coroutine(s.inner[0], around);
  } catch (...) {
    t.threw = true;
    t.ended = true;
    throw;
  }
  t.ended = true;
}

evencube::task<> execution::await_taken(awaited taken, int of, surroundings around) {
  // Looked at too early, and awaited all the same: what it spawns would outlive the program.
  if (mistaken(mistake::skip_await)) check_ended(taken);
  try {
    const long value = co_await std::move(taken.asked);
    check_value(*taken.outcome, value);
  } catch (const thrown& e) {
    check_exception(*taken.outcome, e);
  }
  // It goes on where the future is at home, or stays if that was ready.
  if (of != around.where) co_await on(around.where).schedule();
  check_here(around.where);
  check_ended(taken);
}

evencube::task<long> execution::run_part(const block& b, surroundings around, char& ended) {
  struct at_end {
    char& ended;
    ~at_end() { ended = 1; }
  } const after{ended};
  const long value = co_await run_coroutine(b, around);
  co_return value;
}

evencube::task<> execution::await_all(const step& s, surroundings around) {
  std::vector<char> ended(s.inner.size());
  std::vector<evencube::task<long>> parts;
  for (std::size_t k = 0; k < s.inner.size(); ++k) {
    const bool wrong_one = s.inner.size() > 1 && mistaken(mistake::lose_part);
    const block& b = s.inner[wrong_one ? (k + 1) % s.inner.size() : k];
    parts.push_back(run_part(b, around, ended[k]));
  }
  std::optional<int> caught;
  std::vector<long> values;
  try {
    if (parts.size() == 1) {
      values.push_back(co_await std::move(parts[0]));
    } else if (parts.size() == 2) {
      const auto both = co_await when_all(std::move(parts[0]), std::move(parts[1]));
      values = {std::get<0>(both), std::get<1>(both)};
    } else {
      values = co_await when_all(std::move(parts));
    }
  } catch (const thrown& e) {
    caught = e.block;
  }
  check_here(around.where);
  bool throws = false;
  bool known = false;
  for (std::size_t k = 0; k < s.inner.size(); ++k) {
    const block& b = s.inner[k];
    if (ended[k] == 0 && !any_stops())
      fail("a coroutine went on before " + name(b) + " had ended, which it awaits");
    throws = throws || b.throws;
    known = known || (b.throws && caught == b.id);
    if (!caught && !b.throws) check_value(b, values[k]);
  }
  if (throws && !caught) fail("no exception arrived of coroutines that were awaited");
  if (caught && !known) fail("an exception arrived that none of the awaited coroutines threw");
}

evencube::task<> execution::await_first(const step& s, surroundings around) {
  std::vector<char> ended(s.inner.size());
  std::vector<evencube::task<long>> parts;
  for (std::size_t k = 0; k < s.inner.size(); ++k) {
    parts.push_back(run_part(s.inner[k], around, ended[k]));
  }
  const std::stop_source others;
  std::stop_source stopped = others;
  if (mistaken(mistake::forget_others)) stopped = std::stop_source();
  std::optional<std::size_t> first;
  long value = 0;
  std::optional<int> caught;
  try {
    const auto found = co_await when_any(stopped, std::move(parts));
    first = found.index;
    value = found.value;
  } catch (const thrown& e) {
    caught = e.block;
  }
  check_here(around.where);
  if (!others.stop_requested()) fail("the first of several coroutines did not stop the others");
  for (std::size_t k = 0; k < s.inner.size(); ++k) {
    if (ended[k] == 0 && !any_stops())
      fail("a race was over before " + name(s.inner[k]) + " had ended");
  }
  if (first) {
    if (*first >= s.inner.size()) {
      fail("a race names a coroutine that is not there");
    } else {
      check_value(s.inner[*first], value);
    }
  } else if (std::ranges::none_of(
                 s.inner, [&caught](const block& b) { return b.throws && caught == b.id; })) {
    fail("an exception arrived that none of the coroutines of a race threw");
  }
}

evencube::task<> execution::visit(const step& s, surroundings around) {
  const bool other = s.of != around.where;
  const surroundings there{around.groups, other ? &ends_[at(s.of)].asked : around.stops, s.of};
  if (!other || !mistaken(mistake::stay_here)) co_await on(s.of).schedule();
  check_here(s.of);
  co_await run_steps(s.inner[0], there);
  co_await on(around.where).schedule();
  check_here(around.where);
}

// Started in each of two runtimes, which no task waits for: so nothing is refused.
void execution::hop(const step& s) {
  runtime one(runtime_options{.workers = s.variant});
  runtime other(runtime_options{.workers = 4U - s.variant});
  std::vector<future<long>> all;
  for (int i = 0; i < s.amount; ++i) {
    runtime& home = i % 2 == 0 ? one : other;
    all.push_back(start(home, to_and_fro(one, other, s.grain)));
  }
  for (future<long>& f : all) {
    if (f.get() != 2L * s.grain) fail("a coroutine did not go where it was to");
  }
}

}  // namespace evencube::programs
