#include "shrink.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace evencube::programs {

namespace {

using clock = std::chrono::steady_clock;

/// A block and the index of a step in it.
struct position {
  block* in = nullptr;
  std::size_t step = 0;
  int where = -1;         ///< the runtime whose task the block belongs to; -1: outside
  bool of_thread = true;  ///< a thread's block, or one inside a thread's calls of run()
  bool waits = true;      ///< may wait: not while workers are held, not before a flag is raised
};

bool raises_flag(const block& b) {
  return std::ranges::any_of(b.steps, [](const step& s) { return s.what == action::raise_flag; });
}

/// The position of the steps of block `b`, which belongs to step `s` at position `at`.
position inside(position at, const step& s, block& b) {
  at.in = &b;
  switch (s.what) {
    case action::async:
      if (&b == needs_of(s)) break;
      [[fallthrough]];
    case action::spawn:
      at.of_thread = false;
      [[fallthrough]];
    case action::run:
    case action::graph:
    case action::pipeline:
    case action::visit:
      at.where = s.of;
      at.waits = true;
      break;
    case action::then_future:
      at.of_thread = false;
      at.where = s.of;
      at.waits = true;
      break;
    case action::need:
    case action::local_async:
    case action::await_made:
      if (&b == s.inner.data()) {
        at.of_thread = false;
        at.where = s.of;
        at.waits = true;
      }
      break;
    case action::hold:
    case action::in_scope:
      at.waits = false;
      break;
    default:
      break;
  }
  return at;
}

/// The position of step number `n`, counted as they are printed; its block is null if there are
/// fewer steps.
position find_step(program& p, int n) {
  position found;
  const auto walk = [&](const auto& self, position at) -> void {
    for (at.step = 0; at.step < at.in->steps.size() && found.in == nullptr; ++at.step) {
      if (n-- == 0) {
        found = at;
        return;
      }
      step& s = at.in->steps[at.step];
      for (block& b : s.inner) self(self, inside(at, s, b));
    }
  };
  walk(walk, {.in = &p.prologue, .waits = false});
  for (block& t : p.threads) walk(walk, {.in = &t, .waits = !raises_flag(t)});
  return found;
}

/// Local futures have names below this number.
constexpr int most_names = 100'000;

/// Whether all steps of `b` are allowed outside of tasks.
bool fits_outside(const block& b) {
  return std::ranges::all_of(b.steps, [](const step& s) {
    switch (s.what) {
      case action::fork:
      case action::loop:
      case action::reduce:
      case action::invoke:
      case action::compute:
        return false;
      case action::graph:
        return s.by_call && s.variant == one_by_one;
      case action::pipeline:
        return s.by_call;
      case action::scope:
      case action::record:
        return std::ranges::all_of(s.inner, fits_outside);
      case action::local_async:
        return fits_outside(s.inner[1]);
      default:
        return true;
    }
  });
}

/// Replaces a step by the steps of one of its blocks. Returns false if they are not allowed there:
/// generate.hpp must allow all waits.
bool hoist(const position& at, std::size_t which, int shared_groups) {
  const step s = at.in->steps[at.step];
  if (which >= s.inner.size()) return false;
  // Only one future that another future is made from can replace such a future.
  const bool needed = &s.inner[which] == needs_of(s);
  if (needed != (s.what == action::need) || (needed && s.inner[which].steps.size() != 1)) {
    return false;
  }
  const bool same_place = s.what == action::scope || s.what == action::fork ||
                          s.what == action::loop || s.what == action::reduce ||
                          s.what == action::invoke || s.what == action::record ||
                          s.what == action::await_all || s.what == action::in_scope ||
                          (s.what == action::local_async && which == 1);
  if (!same_place && !needed) {
    if (s.what == action::hold || !at.waits) return false;
    if (at.where >= 0 ? at.where != s.of : !fits_outside(s.inner[which])) return false;
    // A thread may wait for any group, a task only for groups with a lower number than its own.
    if (s.what == action::spawn && s.target < shared_groups && !at.of_thread) return false;
  }
  auto& steps = at.in->steps;
  const auto gap = steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at.step));
  steps.insert(gap, s.inner[which].steps.begin(), s.inner[which].steps.end());
  return true;
}

/// Replaces a future that is made from others by the first of these futures.
bool become_needed(step& s) {
  const block* const needs = needs_of(s);
  if (needs == nullptr) return false;
  step first = needs->steps[0];
  const bool from_others = needs_of(first) != nullptr;
  s.from = first.from;
  s.inner[0] = std::move(first.inner[0]);
  if (from_others) {
    s.inner.back() = std::move(first.inner.back());
  } else {
    s.inner.pop_back();
  }
  return true;
}

/// Puts the futures that a step's future is made from before the step, as steps of their own. The
/// step then takes nothing of them. Returns false if there are none, or if they are not allowed
/// there.
bool take_apart(const position& at) {
  step& s = at.in->steps[at.step];
  const block* const needs = needs_of(s);
  if (needs == nullptr || s.what == action::need || !at.waits) return false;
  std::vector<step> apart;
  for (const step& n : needs->steps) {
    step own = n;
    own.what = action::local_async;
    own.target = most_names + static_cast<int>(apart.size());
    own.variant = by_get;
    own.inner.insert(own.inner.begin() + 1, block{});
    apart.push_back(std::move(own));
  }
  s.inner.pop_back();
  s.from = nothing;
  s.amount = 0;
  at.in->steps.insert(at.in->steps.begin() + static_cast<std::ptrdiff_t>(at.step), apart.begin(),
                      apart.end());
  return true;
}

/// Makes one aspect of a step more usual. Returns false if it is so already.
bool simplify(step& s, int aspect) {
  const step before = s;
  switch (aspect) {
    case 0:
      for (block& in : s.inner) in.throws = false;
      break;
    case 1:
      s.size = small;
      s.cost = 1;
      if (s.what != action::pipeline) s.grain = 0;
      s.limit = 0;
      s.form = by_index;
      s.body = as_usual;
      if (s.what == action::compute) s.failing = -1;
      break;
    case 2:
      s.home = -1;
      s.level = 0;
      break;
    case 3:
      if (s.what == action::scope || s.what == action::local_async ||
          s.what == action::wait_future || s.what == action::wait_group ||
          s.what == action::graph || s.what == action::await_all || gives_up(s)) {
        s.variant = 0;
      }
      break;
    case 4:
      if (s.what == action::loop || s.what == action::reduce) {
        s.amount = s.amount / 2;
        if (s.variant >= s.amount) s.variant = 0;
        if (s.amount == 0) s.inner[0].throws = false;
      } else if (s.what == action::graph) {
        s.amount = std::max(1, s.amount / 2);
      } else if (s.what == action::pipeline) {
        s.amount = s.amount / 2;
        s.grain = 1 + s.grain / 2;
      } else if (s.what == action::compute) {
        s.amount = std::max(s.amount / 2, s.failing < 0 ? 0 : 2 * s.failing);
      } else {
        s.amount = 0;
      }
      break;
    case 5:
      if (needs_of(s) != nullptr) s.inner.pop_back();
      s.from = nothing;
      s.stops = never;
      break;
    case 6:
      return become_needed(s);
    case 7:
      return std::ranges::count_if(s.edges, [](edge& e) {
               return std::exchange(e.value, passing::nothing) != passing::nothing;
             }) != 0;
    case 8:
      if (needs_of(s) == nullptr || needs_of(s)->steps.size() != 1) return false;
      s.amount = 0;
      return std::exchange(s.from, one) != one;
    case 9:
      return std::exchange(s.places, 0) != 0;
    case 10:
      if (s.what != action::scope || s.inner.size() < 2) return false;
      s.inner.pop_back();
      return true;
    default:
      return false;
  }
  const auto threw = [](const step& of) {
    return std::ranges::any_of(of.inner, [](const block& b) { return b.throws; });
  };
  return s.size != before.size || s.cost != before.cost || s.grain != before.grain ||
         s.limit != before.limit || s.from != before.from || s.stops != before.stops ||
         s.form != before.form || s.body != before.body || s.failing != before.failing ||
         s.home != before.home || s.level != before.level || s.variant != before.variant ||
         s.amount != before.amount || threw(s) != threw(before);
}
constexpr int aspects = 11;
constexpr std::size_t most_blocks = 6;  // most blocks of one step

/// Leaves out edge or node number `n` of a graph. Returns false if there is none.
bool without_part(step& s, std::size_t n) {
  if (s.what != action::graph) return false;
  if (n < s.edges.size()) {
    s.edges.erase(s.edges.begin() + static_cast<std::ptrdiff_t>(n));
    return true;
  }
  n -= s.edges.size();
  if (n >= s.inner.size() || s.inner.size() == 1) return false;
  const int node = static_cast<int>(n);
  s.inner.erase(s.inner.begin() + node);
  std::erase_if(s.edges, [=](const edge& e) { return e.from == node || e.to == node; });
  for (edge& e : s.edges) {
    if (e.from > node) --e.from;
    if (e.to > node) --e.to;
  }
  return true;
}

/// Makes one aspect of the whole program more usual. Returns false if it is so already.
bool simplify(program& p, int aspect) {
  if (aspect < 2) {
    if (p.runtimes.size() <= static_cast<std::size_t>(aspect)) return false;
    setting& s = p.runtimes[static_cast<std::size_t>(aspect)];
    const setting usual{.workers = s.workers, .mode = s.mode, .spares = s.spares};
    return std::exchange(s, usual) != usual;
  }
  if (aspect < 4) {
    if (p.runtimes.size() <= static_cast<std::size_t>(aspect - 2)) return false;
    setting& s = p.runtimes[static_cast<std::size_t>(aspect - 2)];
    return std::exchange(s.mode, 3) != 3;
  }
  if (aspect == 4 && p.runtimes.size() > 1) {
    bool used = std::ranges::count(p.groups, 1) > 0;
    for_each_block(std::as_const(p), [&](const block& b) {
      for (const step& s : b.steps) used = used || s.of == 1;
    });
    if (!used) p.runtimes.pop_back();
    return !used;
  }
  if (aspect == 5 && p.prologue.steps.empty()) return false;
  if (aspect == 5) {
    p.threads[0].steps.insert(p.threads[0].steps.begin(), p.prologue.steps.begin(),
                              p.prologue.steps.end());
    p.prologue.steps.clear();
    return true;
  }
  return false;
}
constexpr int whole_aspects = 6;

class shrinker {
 public:
  shrinker(program p, const failing& fails, std::chrono::seconds time,
           const std::function<void(const program&)>& tell)
      : best_(std::move(p)), fails_(fails), end_(clock::now() + time), tell_(tell) {}

  program shrink() {
    for (bool smaller = true; smaller && time_left();) {
      smaller = false;
      smaller |= without_threads();
      smaller |= without_steps();
      smaller |= hoisted();
      smaller |= without_parts();
      smaller |= taken_apart();
      smaller |= more_usual();
    }
    return best_;
  }

 private:
  [[nodiscard]] bool time_left() const { return clock::now() < end_; }

  bool accept(program candidate) {
    if (!time_left()) return false;
    tidy(candidate);
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    tell_(best_);
    return true;
  }

  bool without_threads() {
    bool any = false;
    for (std::size_t t = best_.threads.size(); t-- > 1;) {
      program candidate = best_;
      const bool late = t >= best_.threads.size() - static_cast<std::size_t>(best_.late_threads);
      candidate.threads.erase(candidate.threads.begin() + static_cast<std::ptrdiff_t>(t));
      if (late) --candidate.late_threads;
      any |= accept(std::move(candidate));
    }
    return any;
  }

  bool without_steps() {
    bool any = false;
    for (int n = 0;; ++n) {
      program candidate = best_;
      const position at = find_step(candidate, n);
      if (at.in == nullptr) return any;
      at.in->steps.erase(at.in->steps.begin() + static_cast<std::ptrdiff_t>(at.step));
      if (accept(std::move(candidate))) {
        any = true;
        --n;  // the next one has moved to this place
      }
    }
  }

  bool hoisted() {
    bool any = false;
    for (int n = 0;; ++n) {
      for (std::size_t which = 0; which < most_blocks; ++which) {
        program candidate = best_;
        const position at = find_step(candidate, n);
        if (at.in == nullptr) return any;
        if (hoist(at, which, static_cast<int>(candidate.groups.size())) &&
            accept(std::move(candidate)))
          any = true;
      }
    }
  }

  bool taken_apart() {
    bool any = false;
    for (int n = 0;; ++n) {
      program candidate = best_;
      const position at = find_step(candidate, n);
      if (at.in == nullptr) return any;
      if (take_apart(at) && accept(std::move(candidate))) any = true;
    }
  }

  bool without_parts() {
    bool any = false;
    for (int n = 0;; ++n) {
      for (std::size_t part = 0;;) {
        program candidate = best_;
        const position at = find_step(candidate, n);
        if (at.in == nullptr) return any;
        if (!without_part(at.in->steps[at.step], part)) break;
        if (accept(std::move(candidate))) {
          any = true;
        } else {
          ++part;
        }
      }
    }
  }

  bool more_usual() {
    bool any = false;
    for (int aspect = 0; aspect < whole_aspects; ++aspect) {
      program candidate = best_;
      if (simplify(candidate, aspect) && accept(std::move(candidate))) any = true;
    }
    for (int n = 0;; ++n) {
      for (int aspect = 0; aspect < aspects; ++aspect) {
        program candidate = best_;
        const position at = find_step(candidate, n);
        if (at.in == nullptr) return any;
        if (simplify(at.in->steps[at.step], aspect) && accept(std::move(candidate))) any = true;
      }
    }
  }

  program best_;
  const failing& fails_;
  const clock::time_point end_;
  const std::function<void(const program&)>& tell_;
};

}  // namespace

program shrink(program p, const failing& fails, std::chrono::seconds time,
               const std::function<void(const program&)>& tell) {
  return shrinker(std::move(p), fails, time, tell).shrink();
}

}  // namespace evencube::programs
