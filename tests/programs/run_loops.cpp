#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

void execution::fork(const step& s, const surroundings& around) {
  const auto half = [&](std::size_t i) {
    return [this, &s, around, i] { return run_task(s.inner[i], s.of, around); };
  };
  const block& outcome = s.inner[0].throws ? s.inner[0] : s.inner[1];
  call(outcome, [&] {
    const auto [left, right] = fork_join(half(0), half(1));
    if (left != value_of(s.inner[0])) fail("the left half of a fork gave another value");
    return right;
  });
}

/// What the bodies that a loop calls are compared with.
struct body_marks {
  int generation = 0;  ///< 0: calls do nothing
  std::atomic<int> calls{0};
  std::atomic<bool> wrong{false};
};

/// The body of a loop that knows how it is to be held: what it captures is changed between two
/// loops of it, and one that is held by reference knows where it is, and counts its calls.
template <loop_body Kind, typename Call>
class marked_body {
 public:
  marked_body(body_marks& marks, const Call& call) : marks_(&marks), call_(call) {
    if constexpr (Kind != copied) rest_.itself = this;
  }

  void mark(int generation) {
    marks_->generation = generation_ = generation;
    if constexpr (Kind == too_large) rest_.numbers.fill(generation);
  }

  template <typename... Arguments>
    requires std::is_invocable_v<const Call&, Arguments...>
  auto operator()(Arguments&&... arguments) const
      -> std::invoke_result_t<const Call&, Arguments...> {
    using result = std::invoke_result_t<const Call&, Arguments...>;
    if (generation_ != marks_->generation || !whole()) {
      marks_->wrong.store(true, std::memory_order_relaxed);
    }
    marks_->calls.fetch_add(1, std::memory_order_relaxed);
    if constexpr (Kind == not_copied) rest_.calls.fetch_add(1, std::memory_order_relaxed);
    if (marks_->generation == 0) return result();
    return call_(std::forward<Arguments>(arguments)...);
  }
  /// Whether all calls were of this one.
  void check() const {
    if constexpr (Kind == not_copied) {
      if (rest_.calls != marks_->calls) marks_->wrong.store(true, std::memory_order_relaxed);
    }
  }

 private:
  struct nothing_more {};
  struct many_numbers {
    const void* itself = nullptr;
    std::array<int, 30> numbers{};
  };
  struct counter {
    const void* itself = nullptr;
    mutable std::atomic<int> calls{0};
  };
  using rest = std::conditional_t<Kind == copied, nothing_more,
                                  std::conditional_t<Kind == too_large, many_numbers, counter>>;

  [[nodiscard]] bool whole() const {
    if constexpr (Kind == copied) {
      return true;
    } else if constexpr (Kind == too_large) {
      return rest_.itself == this && rest_.numbers.front() == generation_ &&
             rest_.numbers.back() == generation_;
    } else {
      return rest_.itself == this;
    }
  }

  body_marks* marks_;
  int generation_ = 0;
  Call call_;
  [[no_unique_address]] rest rest_;
};

/// One loop: which of its iterations have run, and whether somebody has asked it to stop.
struct execution::loop_state {
  explicit loop_state(const step& of) : s(of), ran(at(of.amount)) {
    if (s.stops == by_token_before && takes_a_token(s)) {
      barred = s.amount > 0;
      stop();
    }
  }
  void stop() {
    asked.begin();
    source.request_stop();
    asked.end();
  }
  [[nodiscard]] bool stoppable() const { return s.stops != never && takes_a_token(s); }
  [[nodiscard]] int left_out() const { return static_cast<int>(std::ranges::count(ran, 0)); }
  /// Whether what throws need not have arrived.
  [[nodiscard]] bool may_be_quiet() const {
    return ends_early(s) && (stopped || ran[at(s.variant)] == 0);
  }

  const step& s;
  std::vector<int> ran;  // plain: one cell for each iteration
  std::stop_source source;
  stop_state asked;
  body_marks marks;
  bool barred = false;  ///< stopped before it began
  bool stopped = false;
};

void execution::run_iteration_of(loop_state& l, int i, const surroundings& around) {
  if (mistaken(mistake::skip_iteration)) return;
  ++l.ran[at(i)];
  run_iteration(l.s, i, around);
  if (l.stoppable() && i == l.s.stopping) l.stop();
}

template <typename Call, typename F>
auto execution::with_body(loop_state& l, const Call& call, const F& f) {
  switch (l.s.body) {
    case copied:
      return with_marked_body<copied>(l, call, f);
    case too_large:
      return with_marked_body<too_large>(l, call, f);
    case not_copied:
      return with_marked_body<not_copied>(l, call, f);
    default:
      return f(call);
  }
}

// Twice, and the first time nothing is done: what was captured then is not to be called later.
template <loop_body Kind, typename Call, typename F>
auto execution::with_marked_body(loop_state& l, const Call& call, const F& f) {
  using body = marked_body<Kind, Call>;
  body its(l.marks, call);
  its.mark(0);
  static_cast<void>(f(its));
  if constexpr (Kind != not_copied) {
    static_assert((Kind == copied) == (sizeof(body) <= 8 * sizeof(void*)));
    static_assert(std::is_trivially_copy_constructible_v<body>);
    if (mistaken(Kind == copied ? mistake::old_body : mistake::copied_body)) {
      const body other = its;
      its.mark(1);
      return f(other);
    }
  }
  its.mark(1);
  struct at_end {
    const body& of;
    ~at_end() { of.check(); }
  } const checking{its};
  return f(its);
}

void execution::loop(const step& s, const surroundings& around) {
  loop_state l(s);
  bool completed = false;
  expect_exception(
      s.inner[0],
      [&] {
        const auto run = [&](int i) { run_iteration_of(l, i, around); };
        const std::optional<int> found = l.stoppable() && !mistaken(mistake::lose_token)
                                             ? run_stoppable(l, run)
                                             : run_loop(l, run);
        completed = true;
        l.stopped = !found.has_value();
        if (found) check_found(l, *found);
      },
      [&] { return l.may_be_quiet(); });
  check_loop(l, completed);
}

/// Of the second half of the items each is fed by one of the first.
template <typename Item>
void feed_second_half(const step& s, int i, feeder<Item>& feed) {
  const int given = (s.amount + 1) / 2;
  if (i < given && given + i < s.amount) feed.add(given + i);
}
template <typename Items>
Items first_half(const step& s) {
  Items items(static_cast<std::size_t>((s.amount + 1) / 2));
  std::iota(items.begin(), items.end(), 0);
  return items;
}

template <typename F>
void execution::run_balanced(loop_state& l, const F& run) {
  balanced_loop items(on(l.s.of), 0, l.s.amount);
  items.run([](int, int) {});  // as a first touch: its times are the first to be known
  with_body(l, run, [&](const auto& body) {
    if (l.s.grain == 0) return items.run(body);
    items.repeat(3, [&](std::size_t sweep, int i) {
      if (at(i) % 3 == sweep) body(i);
    });
  });
}

template <typename F>
int execution::search_items(loop_state& l, const F& run) {
  const step& s = l.s;
  std::vector<int> items(at(s.amount));
  std::iota(items.begin(), items.end(), 0);
  const auto is_found = [&](int i) {
    run(i);
    return i == s.failing;
  };
  return with_body(l, is_found, [&](const auto& body) {
    if (s.form == by_any) return parallel_any_of(items, body) ? s.failing : s.amount;
    return static_cast<int>(parallel_find_if(items, body) - items.begin());
  });
}

template <typename F>
void execution::transform_items(loop_state& l, const F& run) {
  std::vector<int> items(at(l.s.amount));
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> results(items.size(), 1);
  const auto negate = [&](int i) {
    run(i);
    return -i;
  };
  const auto end = with_body(l, negate, [&](const auto& body) {
    return parallel_transform(items, results.begin(), body);
  });
  if (end != results.end()) fail("a transformation gave another end");
  for (int i = 0; i < l.s.amount; ++i) {
    if (results[at(i)] != -i) fail("a transformation gave another element");
  }
}

template <typename F>
std::optional<int> execution::run_loop(loop_state& l, const F& run) {
  const step& s = l.s;
  const loop_options options{.grain = at(s.grain)};
  const auto run_all = [&](int first, int last) {
    for (int i = first; i < last; ++i) run(i);
  };
  const auto run_and_feed = [&](int i, feeder<int>& feed) {
    feed_second_half(s, i, feed);
    run(i);
  };
  switch (s.form) {
    case by_index:
      with_body(l, run, [&](const auto& body) { parallel_for(0, s.amount, body, options); });
      break;
    case by_block:
      with_body(l, run_all, [&](const auto& body) { parallel_for(0, s.amount, body, options); });
      break;
    case by_stride:
      with_body(
          l, [&](int i) { run((i - 10) / 3); },
          [&](const auto& body) { parallel_for(10, 10 + 3 * s.amount, 3, body, options); });
      break;
    case by_feeding:  // no random access: each is a task
      with_body(l, run_and_feed,
                [&](const auto& body) { parallel_for_each(first_half<std::list<int>>(s), body); });
      break;
    case by_feeding_a_vector:
      with_body(l, run_and_feed, [&](const auto& body) {
        parallel_for_each(first_half<std::vector<int>>(s), body);
      });
      break;
    case by_balance:
      run_balanced(l, run);
      break;
    case by_transform:
      transform_items(l, run);
      break;
    case by_search:
    case by_any:
      return search_items(l, run);
  }
  return s.amount;
}

template <typename F>
std::optional<int> execution::run_stoppable(loop_state& l, const F& run) {
  const step& s = l.s;
  const loop_options options{.grain = at(s.grain)};
  const std::stop_token token = l.source.get_token();
  const auto run_and_feed = [&](int i, feeder<int>& feed) {
    feed_second_half(s, i, feed);
    run(i);
  };
  const auto ended = [&](wait_status how) {
    return how == wait_status::stopped ? std::nullopt : std::optional(s.amount);
  };
  switch (s.form) {
    case by_block:
      return ended(parallel_for_blocks(
          token, 0, s.amount,
          [&](int first, int last) {
            for (int i = first; i < last; ++i) run(i);
          },
          options));
    case by_feeding:
      return ended(parallel_for_each(token, first_half<std::list<int>>(s), run_and_feed));
    case by_feeding_a_vector:
      return ended(parallel_for_each(token, first_half<std::vector<int>>(s), run_and_feed));
    case by_search: {
      std::vector<int> items(at(s.amount));
      std::iota(items.begin(), items.end(), 0);
      const auto found = parallel_find_if(token, items, [&](int i) {
        run(i);
        return i == s.failing;
      });
      if (!found) return std::nullopt;
      return static_cast<int>(*found - items.begin());
    }
    default:
      return with_body(l, run, [&](const auto& body) {
        return ended(parallel_for(token, 0, s.amount, body, options));
      });
  }
}

void execution::check_found(const loop_state& l, int found) {
  const step& s = l.s;
  if (s.form != by_search && s.form != by_any) return;
  const bool is_there = 0 <= s.failing && s.failing < s.amount;
  if (found != (is_there ? s.failing : s.amount)) {
    fail("a search of " + name(s.inner[0]) + " found number " + std::to_string(found));
  }
  const int last = is_there ? s.failing : s.amount - 1;
  for (int i = s.form == by_any && is_there ? last : 0; i <= last; ++i) {
    if (l.ran[at(i)] == 0) fail("a search of " + name(s.inner[0]) + " left out what it must see");
  }
}

void execution::check_loop(loop_state& l, bool completed) {
  const step& s = l.s;
  const std::string what = "a loop of " + name(s.inner[0]);
  for (const int n : l.ran) {
    if (n > 1) fail("an iteration of " + name(s.inner[0]) + " ran " + std::to_string(n) + " times");
  }
  if (l.marks.wrong) fail(what + " called another body than the one that it was given");
  if (l.barred && l.left_out() != s.amount) fail(what + " began though it had been stopped");
  if (l.stopped && !l.asked.perhaps()) fail(what + " told of a stop that nobody asked for");
  if (completed && l.barred && !l.stopped) fail(what + " did not tell that it was stopped");
  const bool searches = s.form == by_search || s.form == by_any;
  if (completed && !searches && l.stopped != (l.left_out() > 0)) {
    fail(what + " left out " + std::to_string(l.left_out()) + " iterations and says " +
         (l.stopped ? "that it was stopped" : "nothing of it"));
  }
  if (ends_early(s)) {
    dropped_[at(s.inner[0].id)].fetch_add(l.left_out(), std::memory_order_relaxed);
  }
}

void execution::reduce(const step& s, const surroundings& around) {
  loop_state l(s);
  bool completed = false;
  expect_exception(
      s.inner[0],
      [&] {
        const auto value = [&](int i) {
          run_iteration_of(l, i, around);
          return stretch{i, i + 1, true};
        };
        const loop_options options{.grain = at(s.grain)};
        const auto fold = [&](const auto& body) -> std::optional<stretch> {
          switch (s.form) {
            case by_block:
              return parallel_deterministic_reduce(0, s.amount, stretch{}, body, std::plus<>(),
                                                   options);
            case by_balance:
              return balanced_loop(on(s.of), 0, s.amount)
                  .reduce(stretch{}, body, std::plus<>(), options.grain);
            default:
              if (l.stoppable() && !mistaken(mistake::lose_token)) {
                return parallel_reduce(l.source.get_token(), 0, s.amount, stretch{}, body,
                                       std::plus<>(), options);
              }
              return parallel_reduce(0, s.amount, stretch{}, body, std::plus<>(), options);
          }
        };
        std::optional<stretch> all = with_body(l, value, fold);
        completed = true;
        l.stopped = !all.has_value();
        if (l.stopped) return;
        if (mistaken(mistake::spoil_result)) ++all->last;
        if (all->first != 0 || all->last != s.amount || !all->in_order) {
          fail("the fold of " + name(s.inner[0]) + " was not in order");
        }
      },
      [&] { return l.may_be_quiet(); });
  check_loop(l, completed);
}

void execution::run_iteration(const step& s, int i, const surroundings& around) {
  const block& body = s.inner[0];
  try {
    run_task(body, s.of, around);
  } catch (const thrown&) {
    if (i == s.variant) throw;
  }
}

}  // namespace evencube::programs
