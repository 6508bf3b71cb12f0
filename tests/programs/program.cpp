#include "program.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace evencube::programs {

namespace {

struct names_in_use {
  std::set<int> raised;
  std::set<int> futures;
};

names_in_use collect(const program& p) {
  names_in_use names;
  for_each_block(p, [&](const block& b) {
    for (const step& s : b.steps) {
      if (s.what == action::raise_flag) names.raised.insert(s.target);
      if (s.what == action::async) names.futures.insert(s.target);
      if (s.what == action::then_future) names.futures.insert(s.result);
    }
  });
  return names;
}

class tidier {
 public:
  explicit tidier(program& p)
      : shared_groups_(static_cast<int>(p.groups.size())), names_(collect(p)) {}

  void tidy(block& b, bool in_coroutine = false) {
    b.id = next_++;
    std::erase_if(b.steps, [=, this](const step& s) {
      return refers_to_nothing(s) || (awaits(s.what) && !in_coroutine);
    });
    for (step& s : b.steps) {
      if (const block* const needs = needs_of(s); needs != nullptr && needs->steps.empty()) {
        s.inner.pop_back();
        s.from = nothing;
      }
      // The runs of a graph can be stopped like a group.
      const bool named = s.what == action::scope || (s.what == action::graph && s.stops != never);
      if (named) local_groups_.insert(s.target);
      for (block& in : s.inner) tidy(in, is_coroutine(s, in, in_coroutine));
      if (named) local_groups_.erase(s.target);
    }
  }
  [[nodiscard]] int blocks() const { return next_; }

 private:
  [[nodiscard]] bool refers_to_nothing(const step& s) const {
    switch (s.what) {
      case action::spawn:
      case action::wait_group:
      case action::stop_group:
        return s.target >= shared_groups_ && !local_groups_.contains(s.target);
      case action::wait_future:
      case action::get_future:
      case action::poll_future:
      case action::then_future:
      case action::await_future:
        return !names_.futures.contains(s.target);
      case action::await_flag:
        return !names_.raised.contains(s.target);
      default:
        return false;
    }
  }

  int shared_groups_;
  names_in_use names_;
  std::set<int> local_groups_;
  int next_ = 0;
};

/// Each block's times follow from how often the one around it has run.
class counting {
 public:
  counting(const counted& counts, bool ends_early)
      : counts_(counts), ends_early_(ends_early), all_(counts.begun.size()) {}

  void expect(const block& b, times n, bool in_coroutine = false) {
    all_[static_cast<std::size_t>(b.id)] = n;
    const std::int64_t here = counts_.begun[static_cast<std::size_t>(b.id)];
    for (const step& s : b.steps) expect_within(s, here, in_coroutine);
  }
  [[nodiscard]] std::vector<times> all() && { return std::move(all_); }

 private:
  /// What belongs to a task that has begun runs in any case, where no coroutine may be lost on its
  /// way home.
  static bool may_be_refused(const step& s, bool in_coroutine) {
    switch (s.what) {
      case action::scope:
      case action::fork:
      case action::loop:
      case action::reduce:
      case action::invoke:
      case action::in_scope:
        return in_coroutine;
      default:
        return true;
    }
  }

  void expect_within(const step& s, std::int64_t n, bool in_coroutine) {
    const bool refused = ends_early_ && may_be_refused(s, in_coroutine);
    const auto expect = [&](const block& in, times of_it) {
      if (refused) of_it.least = 0;
      this->expect(in, of_it, is_coroutine(s, in, in_coroutine) || (in_coroutine && refused));
    };
    switch (s.what) {
      case action::spawn:
        n -= counts_.dropped[static_cast<std::size_t>(s.inner[0].id)];
        expect(s.inner[0], {n, n});
        break;
      case action::run:
        if (gives_up(s)) n -= counts_.dropped[static_cast<std::size_t>(s.inner[0].id)];
        expect(s.inner[0], {n, n});
        break;
      case action::fork:
        expect(s.inner[0], {n, n});
        expect(s.inner[1], {s.inner[0].throws ? 0 : n, n});
        break;
      case action::loop:
      case action::reduce:
        n = n * s.amount - counts_.dropped[static_cast<std::size_t>(s.inner[0].id)];
        expect(s.inner[0], {s.inner[0].throws ? 0 : n, n});
        break;
      case action::graph:
      case action::pipeline:
      case action::meet:
        for (const block& in : s.inner) {
          const std::int64_t all = n * s.amount - counts_.dropped[static_cast<std::size_t>(in.id)];
          expect(in, {all, all});
        }
        break;
      case action::invoke:
        for (const block& in : s.inner) {
          const auto throws = [&](const block& b) { return b.throws && &b != &in; };
          expect(in, {std::ranges::any_of(s.inner, throws) ? 0 : n, n});
        }
        break;
      case action::async:
      case action::local_async:
      case action::await_made:
      case action::need:
        for (const block& in : s.inner) expect(in, {n, n});
        // What continues a future that ends with an exception is not called.
        if (&outcome_of(s) != s.inner.data()) expect(s.inner[0], {0, 0});
        break;
      case action::then_future:
        expect(s.inner[0], {0, n});  // if there is a future to continue
        break;
      default:
        for (const block& in : s.inner) expect(in, {n, n});
    }
  }

  const counted& counts_;
  const bool ends_early_;
  std::vector<times> all_;
};

}  // namespace

int tidy(program& p) {
  // What is dropped may have raised a flag or made a future: until nothing changes.
  for (int before = -1; before != count_steps(p);) {
    before = count_steps(p);
    tidier once(p);
    once.tidy(p.prologue);
    for (block& t : p.threads) once.tidy(t);
  }
  int blocks = 0;
  for_each_block(p, [&](const block&) { ++blocks; });
  return blocks;
}

std::vector<times> expected_times(const program& p, const counted& counts) {
  counting all(counts, p.ends_early);
  all.expect(p.prologue, {1, 1});
  for (const block& t : p.threads) all.expect(t, {1, 1});
  return std::move(all).all();
}

bool gives_up(const step& s) {
  return s.what == action::run && s.size != a_coroutine && s.variant != without_limit;
}

bool awaits(action what) {
  return what == action::await_future || what == action::await_made || what == action::await_all ||
         what == action::visit;
}

bool is_coroutine(const step& s, const block& in, bool within) {
  if (s.what == action::await_all || s.what == action::visit) return within;
  return s.size == a_coroutine && s.from == nothing && &in == s.inner.data();
}

const block* needs_of(const step& s) {
  return s.from == one || s.from == all_of_several || s.from == any_of_several ? &s.inner.back()
                                                                               : nullptr;
}
block* needs_of(step& s) { return const_cast<block*>(needs_of(std::as_const(s))); }

const block& outcome_of(const step& s) {
  if (s.from == one) {
    const block& before = outcome_of(needs_of(s)->steps[0]);
    if (before.throws) return before;
  }
  return s.inner[0];
}

bool takes_a_token(const step& s) {
  if (s.what == action::reduce) return s.form == by_index;
  return s.form == by_index || s.form == by_block || s.form == by_feeding ||
         s.form == by_feeding_a_vector || s.form == by_search;
}

bool ends_early(const step& s) {
  return (s.stops != never && takes_a_token(s)) || s.form == by_search || s.form == by_any;
}

bool chooses(const step& s, int number) {
  return std::ranges::any_of(s.edges,
                             [=](const edge& e) { return e.from == number && e.choice >= 0; });
}

bool gives_a_value(const step& s, int number) {
  return !chooses(s, number) && std::ranges::any_of(s.edges, [=](const edge& e) {
    return e.from == number && e.value != passing::nothing;
  });
}

std::vector<const edge*> values_to(const step& s, int number) {
  std::vector<const edge*> all;
  for (const edge& e : s.edges) {
    if (e.to == number && e.value != passing::nothing) all.push_back(&e);
  }
  return all;
}

int choice_of(int number, int run) { return (number + run) % 3; }

std::vector<bool> nodes_called(const step& s, int run) {
  std::vector<bool> called(s.inner.size());
  for (int k = 0; k < static_cast<int>(called.size()); ++k) {
    bool first = true;  // nothing leads to it
    bool conditional = false;
    bool chosen = false;
    bool any_before = false;
    bool lacks_value = false;
    for (const edge& e : s.edges) {
      if (e.to != k) continue;
      const bool before = called[static_cast<std::size_t>(e.from)];
      first = false;
      any_before = any_before || before;
      lacks_value = lacks_value || (!before && e.value != passing::nothing);
      conditional = conditional || e.choice >= 0;
      chosen = chosen || (before && e.choice >= 0 && e.choice == choice_of(e.from, run));
    }
    called[static_cast<std::size_t>(k)] =
        first || (any_before && !lacks_value && (!conditional || chosen));
  }
  return called;
}

std::span<const stage> stages_of(const step& s) {
  using enum stage;
  static const std::array<std::vector<stage>, pipeline_shapes> shapes{
      {{in_order},
       {one_at_a_time},
       {in_parallel},
       {in_parallel, in_order},
       {in_order, in_parallel, one_at_a_time},
       {one_at_a_time, in_parallel, in_order},
       {in_order, in_order, in_parallel}}};
  return shapes[s.variant];
}

int count_steps(const program& p) {
  std::size_t steps = 0;
  for_each_block(p, [&](const block& b) { steps += b.steps.size(); });
  return static_cast<int>(steps);
}

}  // namespace evencube::programs
